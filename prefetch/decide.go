package prefetch

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// hintEvery is the shortest time between two hints in one conversation, unless a prompt comes
// between them.
const hintEvery = 30 * time.Second

// Question asks for hints of one kind in a certain situation.
type Question struct {
	Kind  HintKind
	Query event.Query
	// Topic identifies a text that names no files (Reload). Its hash decides whether the text is
	// withheld.
	Topic string
}

// Decision is the decision about what to say in answer to a question. Until Said or Drop is called
// it is reserved: no other decision says the same.
type Decision struct {
	Why   Why
	Theta float64 // the threshold that was applied, 0 for facts
	// The session's allowance of tokens is used up, so a text without files must not be said
	// either.
	Spent bool

	question Question
	trait    trait
	statuses map[Status][]Candidate
	opens    float64 // for a list: the probability that the turn opens files
	held     string  // identifies the reservation, "" without a session
}

// Files returns the files to be shown, the most probable first.
func (d *Decision) Files() []Candidate { return d.statuses[Shown] }

// Why tells in one word, for the log and for people, what was decided about a question and why.
type Why string

// The possible values of Why.
const (
	WhyShown    Why = "shown"    // the hint was shown
	WhyWithheld Why = "withheld" // withheld to measure what showing it would have changed
	WhyNothing  Why = "nothing"  // there was no candidate, or all had already been shown
	WhyBelow    Why = "below"    // the best candidate is less probable than the threshold
	WhyIdle     Why = "idle"     // the turn will probably open no file
	WhySoon     Why = "soon"     // the last hint was less than 30 s ago
	WhySpent    Why = "spent"    // the session's allowance of tokens is used up
	WhySpace    Why = "space"    // the agent has no room for the text
	WhyReading  Why = "reading"  // not all files or earlier commits have been read since the daemon started
	WhyLate     Why = "late"     // the agent had stopped waiting
)

// Decide decides what is said now. It is the only place where a file, a list or a fact gets its
// status:
//
//   - A candidate is shown if its probability reaches the threshold of its kind, a list if its
//     estimate does (ListEstimate), a fact always. Other candidates with at least the probability
//     Floor are logged as shadow, once per kind and conversation.
//   - Nothing is said twice in a conversation, and the current file is never said. A fact about a
//     file is said once for each kind of facts, and so is that a change lacks a file: a prompt's list
//     may have named the file as one that will be opened, which is no reason to keep quiet when the
//     change seems complete without it.
//   - Nothing is said in a session whose tokens are used up, nor as a hint within 30 s of the
//     last one.
//   - A random share is withheld, drawn for each file and session, for each list, and for each
//     Topic. What was shown or withheld in a conversation keeps that status, whatever the kind.
//
// Decide looks at nothing but the candidates, the session and what outcomes have taught. It takes
// microseconds.
func (p *Prefetcher) Decide(q Question, c *Candidates) Decision {
	q.Query.Task = traits[q.Kind].task
	s := p.situation(q.Query.Session, q.Query.At)
	p.mu.Lock()
	defer p.mu.Unlock()
	s.join(p.waiting(q.Query.Session, q.Query.At), q.Query.Subagent)
	d := Decision{Why: WhyNothing, Spent: q.Query.Session != "" && s.Tokens >= p.o.Settings().Tokens, question: q,
		trait: c.trait(q.Kind), statuses: map[Status][]Candidate{}}
	p.decide(&d, c.files, s)
	if q.Query.Session == "" {
		return d
	}
	p.decisions++
	d.held = strconv.Itoa(p.decisions) // no event has such an id
	for status, files := range d.statuses {
		p.hold(q.Query.Session, pending{id: d.held, by: q.Query.Subagent, at: q.Query.At, kind: q.Kind, status: status,
			files: pathsOf(files)})
	}
	return d
}

// decide gives each candidate its status.
func (p *Prefetcher) decide(d *Decision, candidates []Candidate, s situation) {
	kind := d.question.Kind
	if !d.trait.fact {
		d.Theta = p.theta(kind, s)
	}
	silent := d.silent(s)
	decided := 0
	for _, c := range p.choices(d, candidates, s) {
		status := Shadow
		if c.worth && silent == "" && decided < d.trait.files {
			decided += len(c.files)
			if status = s.statuses[c.files[0].File]; status == "" || d.trait.list {
				status = p.draw(d.question.Query.Session, c.name)
			}
		}
		for _, x := range c.files {
			if status != Shadow || c.keep && s.kinds[kind][x.File] == "" && len(d.statuses[Shadow]) < MaxFiles {
				d.statuses[status] = append(d.statuses[status], x)
			}
		}
	}
	switch {
	case len(d.statuses[Shown]) > 0:
		d.Why = WhyShown
	case len(d.statuses[Withheld]) > 0:
		d.Why = WhyWithheld
	case len(d.statuses[Shadow]) > 0 && silent != "":
		d.Why = silent
	case d.trait.list && !d.trait.fact && d.opens < leastOpens:
		d.Why = WhyIdle
	case len(d.statuses[Shadow]) > 0:
		d.Why = WhyBelow
	}
}

// silent returns the reason why nothing may be said now, whatever the candidates are; "" if
// something may.
func (d *Decision) silent(s situation) Why {
	q := d.question.Query
	switch last := s.HintAt[q.Subagent]; {
	case d.Spent:
		return WhySpent
	case d.trait.hint && !last.IsZero() && q.At.Sub(last) < hintEvery:
		return WhySoon
	}
	return ""
}

// choice is what is decided on as one: a file or a list.
type choice struct {
	name  string // its hash decides whether it is withheld
	files []Candidate
	worth bool // probable enough to be shown
	keep  bool // probable enough to be logged if it is not shown
}

// choices groups the candidates into choices, the most probable first. It leaves out files that
// must not be said.
func (p *Prefetcher) choices(d *Decision, candidates []Candidate, s situation) (out []choice) {
	q, tr := d.question, d.trait
	skip := func(f event.Path) bool {
		said := s.statuses[f]
		if tr.news {
			said = s.kinds[q.Kind][f]
		}
		return f == q.Query.Current || said == Shown || said == Withheld
	}
	if tr.list {
		c := choice{cmp.Or(q.Topic, "list "+strconv.Itoa(s.turn.Prompts)), candidates, true, true}
		switch {
		case !tr.fact:
			var e ListEstimate
			c.files, e = p.o.Confident.list(q.Kind).Choose(q.Query, s.turn, candidates, skip)
			d.opens, c.worth, c.keep = e.Opens, e.Says(d.Theta), e.Any() >= leastShadow
		case !tr.text:
			c.files = without(candidates, skip)
		}
		if len(c.files) == 0 {
			return nil
		}
		return []choice{c}
	}
	for _, x := range candidates {
		if skip(x.File) || tr.hint && !x.Unseen {
			continue
		}
		// A file that only the intercept of the kind pushes below the threshold is logged.
		// Otherwise nothing could ever raise the intercept again.
		c := choice{string(x.File), []Candidate{x}, x.P >= d.Theta, max(x.P, x.Shipped) >= Floor}
		switch {
		case tr.fact:
			c.worth, c.keep = true, true
		case q.Kind == Partner:
			c.worth = x.lacking
		}
		out = append(out, c)
	}
	return out
}

// draw decides by chance whether a choice is shown to a session or withheld.
func (p *Prefetcher) draw(session, name string) Status {
	if session != "" && heldOut(p.o.Seed, session, event.Path(name), p.o.Settings().Holdout) {
		return Withheld
	}
	return Shown
}

// Left returns how many more tokens may be spent on a session.
func (p *Prefetcher) Left(session string, at time.Time) int {
	return max(0, p.o.Settings().Tokens-p.situation(session, at).Tokens)
}

// digest hashes the parts. Each is ended by a zero byte, so that ("ab", "c") and ("a", "bc")
// differ.
func digest(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// heldOut reports whether a file is withheld from a session, whatever the kind. It decides by a
// seeded hash: the same question always gets the same answer, and no one can influence it.
func heldOut(seed, session string, f event.Path, rate float64) bool {
	d := digest("holdout", seed, session, string(f))
	return float64(binary.BigEndian.Uint64(d[:8]))/math.Exp2(64) < rate
}

// hintID returns the ID of a prediction's event, a hash of its content. Logging the same prediction
// twice thus counts once.
func hintID(e event.Event, h event.Hint) string {
	parts := []string{"hint", e.Session, e.Subagent, h.Name, h.Status, strconv.FormatInt(e.Time.UnixMilli(), 10), h.Text}
	d := digest(append(parts, event.Strings(slices.Concat(h.Paths, h.Named))...)...)
	return "hint:" + hex.EncodeToString(d[:12])
}
