package prefetch

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// Proof is the results of the hints of a repository, counted from its log. A hint that is withheld is decided like one
// that is shown, and is not shown, by chance. So the withheld ones show what happens without hints.
type Proof struct {
	From     time.Time   `json:"from,omitzero"` // of the first decision
	To       time.Time   `json:"to,omitzero"`   // of the last
	Sessions int         `json:"sessions"`      // with a decision
	Kinds    []KindProof `json:"kinds"`         // of kinds with a decision, in the order of Kinds
	Spent    float64     `json:"tokens_spent"`  // of all kinds, as in KindProof
	Spared   Lift        `json:"tokens_spared,omitzero"`
	Decided  int         `json:"decided"` // decisions that were shown and are resolved
	Wrong    int         `json:"wrong"`   // of these, those that named no file that was used
	Losses   []Loss      `json:"losses"`  // of these, the newest 20, the newest first
}

// KindProof is the results of one kind.
type KindProof struct {
	Kind     Kind  `json:"kind"`
	Texts    int   `json:"texts"` // said
	Shown    Tally `json:"shown"` // files; of a kind that shows lists, the lists
	Withheld Tally `json:"withheld"`
	Right    Lift  `json:"right,omitzero"` // share of the shown ones that were right, less that of the withheld ones

	// Searches and listings of the conversation from a decision to the open of the file, of a list to the first open of
	// one of its files; without an open, to the end of the turn or of the Horizon. The means of the shown and of the
	// withheld ones. 0 of kinds about changes.
	Searched         float64 `json:"searches"`
	SearchedWithheld float64 `json:"searches_withheld"`

	// Spent is the price of the texts in tokens of input: written to the prompt cache once, read by each later request
	// of the conversation. Spared is (SearchedWithheld − Searched) · shown ones · Searching.PerSearch, with a 95 %
	// interval by a bootstrap over sessions; it is known from ten resolved ones of either arm on.
	Spent  float64 `json:"tokens_spent"`
	Spared Lift    `json:"tokens_spared,omitzero"`

	Finding Finding  `json:"finding"`
	Lacking *Lacking `json:"lacking,omitempty"` // where there are too few decisions for a finding
}

// Finding is what the evidence about a kind says.
type Finding string

// The findings. A kind about changes is judged by Right, all others by what they spare and cost.
const (
	Helps     Finding = "helps"
	Loses     Finding = "loses"
	Undecided Finding = "undecided" // the interval holds both, or there are too few decisions
)

// Lacking is what is missing for a finding.
type Lacking struct {
	Shown    int64 `json:"shown"` // resolved ones that are missing
	Withheld int64 `json:"withheld"`
}

// Loss is a decision that was shown and wrong.
type Loss struct {
	At      time.Time    `json:"at"`
	Session string       `json:"session_id"`
	Kind    Kind         `json:"kind"`
	Named   []event.Path `json:"named"`
	Opened  []event.Path `json:"opened"` // what was opened instead, the first ones
	Tokens  int          `json:"tokens"`
}

// Bounds of a proof.
const (
	mostLosses  = 20
	mostOpened  = 3
	leastTrials = 10 // files or lists of either arm from which searches are compared
	draws       = 1000
)

// Prove counts the results of hints. events are prompts, opens, searches, commands, failed calls, starts and ends of
// sessions, commits and suggestions in the order of time. s says what a search costs. Whether a hint was right
// follows from its label and from what was opened, not from logged outcomes.
func Prove(events []event.Event, s Searching, at time.Time) Proof {
	c := counter{waiting: map[string][]*trial{}, opened: map[string]map[event.Path]bool{}, last: map[string]time.Time{},
		requests: requests{}}
	for _, e := range events {
		c.count(e)
	}
	for id, last := range c.last {
		if at.Sub(last) > live.IdleEnd {
			c.each(id, func(t *trial) { t.Left = 0 })
		}
	}
	return c.proof(s.PerSearch())
}

// sums are what is compared of one kind.
type sums struct{ shown, withheld, searched, searchedWithheld float64 }

func (a sums) plus(b sums) sums {
	return sums{a.shown + b.shown, a.withheld + b.withheld, a.searched + b.searched,
		a.searchedWithheld + b.searchedWithheld}
}

// spared is in searches.
func (a sums) spared() (searches float64, known bool) {
	if a.shown == 0 || a.withheld == 0 {
		return 0, false
	}
	return (a.searchedWithheld/a.withheld - a.searched/a.shown) * a.shown, true
}

// proof sums up. perSearch is the price of a search in tokens.
func (c *counter) proof(perSearch float64) Proof {
	out := Proof{Kinds: []KindProof{}, Losses: []Loss{}}
	kinds := map[Kind]*KindProof{}
	sessions := map[string]int{} // session → place in bySession
	var bySession []map[Kind]sums
	for _, t := range c.trials {
		if out.From.IsZero() {
			out.From = t.at
		}
		out.To = t.at
		k := kinds[t.kind]
		if k == nil {
			k = &KindProof{Kind: t.kind}
			kinds[t.kind] = k
		}
		i, known := sessions[t.session]
		if !known {
			i = len(bySession)
			sessions[t.session] = i
			bySession = append(bySession, map[Kind]sums{})
		}
		t.tally(k)
		if t.arm == Shown && t.tokens > 0 {
			k.Texts++
			k.Spent += float64(t.tokens) * (written + read*float64(c.requests.count(conversation{t.session, t.By})-t.before))
		}
		bySession[i][t.kind] = bySession[i][t.kind].plus(t.sums())
		if t.arm == Shown && len(t.Files) > 0 && t.resolved() {
			out.Decided++
			if t.UsedFiles() == 0 && (t.Opens || t.Label != live.LabelTurn) {
				out.Wrong++
				out.Losses = append(out.Losses, t.loss())
			}
		}
	}
	out.Sessions = len(bySession)
	slices.Reverse(out.Losses)
	out.Losses = out.Losses[:min(len(out.Losses), mostLosses)]
	var compared []Kind
	for _, kind := range Kinds() {
		k := kinds[kind]
		if k == nil {
			continue
		}
		if k.Spared = bootstrap(bySession, perSearch, kind); k.Spared.Known {
			compared = append(compared, kind)
		}
		k.conclude(bySession)
		out.Kinds = append(out.Kinds, *k)
		out.Spent += k.Spent
	}
	out.Spared = bootstrap(bySession, perSearch, compared...)
	return out
}

// total adds up the sessions of a kind.
func total(bySession []map[Kind]sums, k Kind) (all sums) {
	for _, s := range bySession {
		all = all.plus(s[k])
	}
	return all
}

// conclude compares the arms of a kind.
func (k *KindProof) conclude(bySession []map[Kind]sums) {
	k.Right = lift(k.Shown, k.Withheld)
	all := total(bySession, k.Kind)
	if all.shown > 0 {
		k.Searched = all.searched / all.shown
	}
	if all.withheld > 0 {
		k.SearchedWithheld = all.searchedWithheld / all.withheld
	}
	k.Finding = Undecided
	shown, withheld := max(0, retireShown-k.Shown.Resolved), max(0, retireWithheld-k.Withheld.Resolved)
	if shown+withheld > 0 {
		k.Lacking = &Lacking{shown, withheld}
		return
	}
	switch {
	case labelOf(k.Kind) == live.LabelChange && k.Right.Low > 0, k.Spared.Known && k.Spared.Low > k.Spent:
		k.Finding = Helps
	case labelOf(k.Kind) == live.LabelChange && k.Right.High < leastLift, k.Spared.Known && k.Spared.High < k.Spent:
		k.Finding = Loses
	}
}

// bootstrap is what kinds spared together, in tokens. Its interval are the quantiles over drawn sessions: decisions
// of one session are alike, so sessions are drawn and not decisions. The draws are the same each time.
func bootstrap(bySession []map[Kind]sums, perSearch float64, kinds ...Kind) Lift {
	spared := func(pick func(i int) int) (tokens float64, known bool) {
		for _, k := range kinds {
			var all sums
			for i := range bySession {
				all = all.plus(bySession[pick(i)][k])
			}
			some, ok := all.spared()
			tokens, known = tokens+some*perSearch, known || ok
		}
		return tokens, known
	}
	for _, k := range kinds {
		if all := total(bySession, k); min(all.shown, all.withheld) < leastTrials {
			return Lift{}
		}
	}
	out := Lift{}
	out.Value, out.Known = spared(func(i int) int { return i })
	if !out.Known {
		return Lift{}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var drawn []float64
	picks := make([]int, len(bySession))
	for range draws {
		for i := range picks {
			picks[i] = rng.IntN(len(picks))
		}
		if v, ok := spared(func(i int) int { return picks[i] }); ok {
			drawn = append(drawn, v)
		}
	}
	slices.Sort(drawn)
	out.Low, out.High = drawn[len(drawn)/40], drawn[len(drawn)-1-len(drawn)/40]
	return out
}
