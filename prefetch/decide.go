package prefetch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// hintEvery is how far apart hints of one conversation are, unless a prompt comes between.
const hintEvery = 30 * time.Second

// Question is a kind of hint that is asked at an occasion, and how its answer is put into words.
type Question struct {
	Kind  Kind
	Query event.Query

	// Found are the candidates of a kind of facts, in the order of importance: somebody found them by looking. Other
	// kinds rank.
	Found []event.Suggestion
	// Lacks are what package change says that the change lacks, for Partner: no other file is said. Exists says which
	// files there are for it; nil: those of the checkout.
	Lacks  []Lack
	Exists func(event.Path) bool
	// Lead is a text that stands before the files and is said without them, too; Named are the files that it names.
	Lead  string
	Named []event.Path
	// Topic names what a text is about that names no files (Reload). Its status is drawn by it.
	Topic string
	// Say puts files into words and tells which of them the words name: there may be no space for all, or for any. It may
	// read files: no lock is held meanwhile.
	Say func([]event.Suggestion) (text string, named []event.Path)
}

// Decision is what came of a question: what to say, and what to log whether it is said or not.
type Decision struct {
	Text  string             // "": say nothing
	Shown []event.Suggestion // the files that Text names, best first, without those of Lead
	Log   []event.Event      // one per status: the caller appends them to the log
	Theta float64            // the threshold that was in force, 0 for facts
	// one word for the log and for people: shown, off, nothing, below, idle, soon, spent, withheld, space, late
	Why string
}

// Decide decides what is said now. It is the only place where a file, a list or a fact gets its status:
//
//   - A candidate is worth saying when its probability reaches the threshold of its kind, a list when its estimate does
//     (ListEstimate), a fact always. What is not is logged as shadow, once per kind and conversation, if it reaches Floor.
//   - Nothing is said to a conversation twice, and never the current file. A fact about a file is said once for each kind
//     of facts.
//   - A session whose tokens are spent, and a hint within 30 s of the last one stay silent.
//   - A share is withheld, drawn for each file and session, for each list, for each Topic. What was shown to a
//     conversation or withheld from it keeps that status, whatever the kind.
//   - What is logged as shown is what Text names.
//
// A query without a session logs nothing, for nothing could resolve it.
func (p *Prefetcher) Decide(ctx context.Context, q Question) (Decision, error) {
	tr := q.trait()
	switch _, known := traits[q.Kind]; {
	case !known:
		return Decision{}, fmt.Errorf("decide on a hint of kind %q: there is no such kind", q.Kind)
	case !tr.fact && len(q.Found) > 0:
		return Decision{}, fmt.Errorf("decide on a hint of kind %q: its candidates are ranked, not found", q.Kind)
	case !p.o.shows(q.Kind):
		return Decision{Why: "off"}, nil
	case tr.fact && len(q.Found) == 0 && q.Lead == "":
		return Decision{Why: "nothing"}, nil
	}
	s := p.state(q.Query.Session, q.Query.At)
	q.Query.Task = tr.task
	candidates, reasons := factsOf(q.Found), func(x Prediction) event.Suggestion { return q.Found[x.Place] }
	if !tr.fact {
		a, err := p.asked(ctx, q, s.own)
		if err != nil {
			return Decision{}, err
		}
		defer a.Done()
		candidates = a.Predictions
		if q.Kind == Partner {
			candidates = a.sharing(q.Lacks)
		}
		reasons = func(x Prediction) event.Suggestion { return a.suggestion(ctx, &x, q.Query.Explain) }
	}
	v, release := p.reserve(q, candidates, s)
	d := p.say(q, v, s, reasons)
	p.mu.Lock()
	defer p.mu.Unlock()
	release()
	if ctx.Err() != nil {
		return Decision{Why: "late"}, nil // no process reads it any more
	}
	for _, e := range d.Log {
		h := e.Body.(event.Hint)
		p.hold(q.Query.Session, pending{id: e.ID, by: e.Subagent, at: e.Time, kind: q.Kind, status: Status(h.Status),
			files: h.Paths})
	}
	return d, nil
}

// asked are the files that answer the question of a ranking kind.
func (p *Prefetcher) asked(ctx context.Context, q Question, own Intercepts) (*answers, error) {
	if q.Kind == Partner && q.Exists != nil {
		return p.companions(ctx, p.ofSession(q.Query), own, q.Exists)
	}
	return p.estimate(ctx, q.Query, own)
}

// reserve decides, and holds all that may be said until release, which is called with the lock held: words take time,
// since files are read for them, and meanwhile no other decision may say the same.
func (p *Prefetcher) reserve(q Question, candidates []Prediction, s state) (v verdict, release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	session := q.Query.Session
	s.join(p.waiting(session, q.Query.At), q.Query.Subagent)
	v = p.decide(q, candidates, s)
	p.reserved++
	id := strconv.Itoa(p.reserved) // of no event
	for status, files := range v.statuses {
		if session != "" {
			p.hold(session, pending{id: id, by: q.Query.Subagent, at: q.Query.At, kind: q.Kind, status: status,
				files: filesOf(files)})
		}
	}
	return v, func() { p.folds(session, id) }
}

func filesOf(predictions []Prediction) (out []event.Path) {
	for _, x := range predictions {
		out = append(out, x.File)
	}
	return out
}

// verdict is what was decided on the candidates.
type verdict struct {
	statuses map[Status][]Prediction
	theta    float64
	why      string
	opens    float64 // of a list: the probability that the turn opens files
}

// unit is what is decided on as one: a file or a list.
type unit struct {
	name  string // what its status is drawn by
	files []Prediction
	worth bool // likely enough to be shown
	keep  bool // likely enough to be logged where it is not shown
}

// decide gives each candidate its status.
func (p *Prefetcher) decide(q Question, candidates []Prediction, s state) verdict {
	tr := q.trait()
	v := verdict{statuses: map[Status][]Prediction{}, why: "nothing"}
	if !tr.fact {
		v.theta = p.theta(q.Kind, s)
	}
	silent := p.silent(q, tr, s)
	decided := 0
	for _, u := range p.units(q, candidates, s, &v) {
		status := Shadow
		if u.worth && silent == "" && decided < tr.files {
			decided += len(u.files)
			if status = s.statuses[u.files[0].File]; status == "" || tr.list {
				status = p.draw(q, u)
			}
		}
		for _, x := range u.files {
			if status != Shadow || u.keep && !s.kinds[q.Kind][x.File] && len(v.statuses[Shadow]) < MaxFiles {
				v.statuses[status] = append(v.statuses[status], x)
			}
		}
	}
	switch {
	case len(v.statuses[Shown]) > 0:
		v.why = string(Shown)
	case len(v.statuses[Withheld]) > 0:
		v.why = string(Withheld)
	case len(v.statuses[Shadow]) > 0 && silent != "":
		v.why = silent
	case tr.list && !tr.fact && v.opens < leastOpens:
		v.why = "idle"
	case len(v.statuses[Shadow]) > 0:
		v.why = "below"
	}
	return v
}

// silent is why a kind says nothing now, whatever the candidates: spent, soon; "" if it may speak.
func (p *Prefetcher) silent(q Question, tr trait, s state) string {
	switch last := s.HintAt[q.Query.Subagent]; {
	case q.Query.Session != "" && s.Tokens >= p.o.tokens():
		return "spent"
	case tr.hint && !last.IsZero() && q.Query.At.Sub(last) < hintEvery:
		return "soon"
	}
	return ""
}

// units sorts candidates into what is decided on as one, the likeliest first, without what must not be said.
func (p *Prefetcher) units(q Question, candidates []Prediction, s state, v *verdict) (out []unit) {
	tr := q.trait()
	skip := func(f event.Path) bool {
		_, has := s.statuses[f]
		return f == q.Query.Current || has && (!tr.fact || s.kinds[q.Kind][f])
	}
	if tr.list {
		u := unit{cmp.Or(q.Topic, "list "+strconv.Itoa(s.turn.Prompts)), candidates, true, true}
		switch {
		case !tr.fact:
			var e ListEstimate
			u.files, e = p.o.confident().list(q.Kind).Choose(q.Query, s.turn, candidates, skip)
			v.opens, u.worth, u.keep = e.Opens, e.Says(v.theta), e.Any() >= leastShadow
		case !tr.text:
			u.files = slices.DeleteFunc(slices.Clone(candidates), func(x Prediction) bool { return skip(x.File) })
		}
		if len(u.files) == 0 {
			return nil
		}
		return []unit{u}
	}
	for _, x := range candidates {
		if skip(x.File) || tr.hint && !x.Unseen {
			continue
		}
		// What only the kind's intercept lowers is logged, or it could never be raised again.
		u := unit{string(x.File), []Prediction{x}, x.P >= v.theta, max(x.P, x.Shipped) >= Floor}
		switch {
		case tr.fact:
			u.worth, u.keep = true, true
		case q.Kind == Partner:
			u.worth = slices.ContainsFunc(q.Lacks, func(l Lack) bool { return l.File == x.File })
		}
		out = append(out, u)
	}
	return out
}

// draw decides by chance whether a unit is shown or withheld.
func (p *Prefetcher) draw(q Question, u unit) Status {
	if q.Query.Session != "" && heldOut(p.o.Seed, q.Query.Session, event.Path(u.name), p.o.holdout()) {
		return Withheld
	}
	return Shown
}

// say puts a verdict into words and events. What the words have no space for was not shown, and nothing is predicted
// of it.
func (p *Prefetcher) say(q Question, v verdict, s state, reasons func(Prediction) event.Suggestion) Decision {
	tr := q.trait()
	d := Decision{Theta: v.theta, Why: v.why}
	lead := q.Lead
	if v.why == "spent" || q.Query.Session != "" && s.Tokens >= p.o.tokens() {
		lead = ""
	}
	shown := v.statuses[Shown]
	for _, f := range shown {
		x := reasons(f)
		if tr.list && !tr.fact {
			x.Score = min(x.Score/v.opens, mostSure)
		}
		d.Shown = append(d.Shown, x)
	}
	if len(shown) > 0 && q.Say != nil {
		text, named := q.Say(d.Shown)
		unsaid := func(f event.Path) bool { return text == "" || !tr.text && !slices.Contains(named, f) }
		d.Text = text
		d.Shown = slices.DeleteFunc(d.Shown, func(x event.Suggestion) bool { return unsaid(x.File) })
		if shown = slices.DeleteFunc(shown, func(x Prediction) bool { return unsaid(x.File) }); len(shown) == 0 {
			d.Text, d.Why = "", "space"
		}
		v.statuses[Shown] = shown
	}
	d.Text = strings.Trim(lead+"\n"+d.Text, "\n")
	if lead != "" {
		d.Why = string(Shown)
	}
	if q.Query.Session == "" {
		return d
	}
	for _, status := range []Status{Shown, Withheld, Shadow} {
		if files := v.statuses[status]; len(files) > 0 || status == Shown && lead != "" {
			d.Log = append(d.Log, suggestion(q, status, files, d.Text, lead != ""))
		}
	}
	return d
}

// suggestion is the event of one status. It carries the probabilities as shipped: an intercept must not learn from itself.
func suggestion(q Question, status Status, files []Prediction, text string, leads bool) event.Event {
	h := event.Hint{Name: string(q.Kind), Status: string(status), Label: string(labelOf(q.Kind)), Task: q.Query.Task,
		Text: q.Topic}
	for _, x := range files {
		h.Paths, h.Scores = append(h.Paths, x.File), append(h.Scores, x.Shipped)
	}
	if labelOf(q.Kind) == session.LabelChange {
		change := changeOf(q.Query)
		h.Change = change[max(0, len(change)-loggedFiles):]
	}
	if status == Shown {
		h.Tokens = Tokens(text)
		if leads {
			h.Named = q.Named
		}
	}
	e := event.Event{Time: q.Query.At, Agent: "aoa", Session: q.Query.Session, Subagent: q.Query.Subagent, Body: h}
	e.ID = hintID(e, h)
	return e
}

// factsOf are found files as candidates.
func factsOf(found []event.Suggestion) []Prediction {
	out := make([]Prediction, 0, len(found))
	for i, f := range found {
		out = append(out, Prediction{Place: i, File: f.File, P: 1, Shipped: f.Score})
	}
	return out
}

// Tokens estimates what a text costs (see index.Tokens).
func Tokens(text string) int { return index.Tokens(text) }

// Left is how many tokens a session may still be spent on it.
func (p *Prefetcher) Left(session string, at time.Time) int {
	return max(0, p.o.tokens()-p.state(session, at).Tokens)
}
