package prefetch

import (
	"cmp"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// hintEvery is how far apart hints of one conversation are, unless a prompt comes between.
const hintEvery = 30 * time.Second

// Decision is the decision on what to say in answer to a question. It is reserved: no other
// decision says the same until Said or Drop is called.
type Decision struct {
	Why   Why
	Theta float64 // the threshold that was in force, 0 for facts
	Spent bool    // the session's allowance of tokens is used up: a text without files is not to be said either

	question Question
	trait    trait
	statuses map[Status][]Candidate
	opens    float64 // of a list: the probability that the turn opens files
	held     string  // name of what is held, "" without a session
}

// Files returns the files to be named, the likeliest first.
func (d *Decision) Files() []Candidate { return d.statuses[Shown] }

// Why is one word for the log and for people that says how a question was decided.
type Why string

// How a question can be decided.
const (
	WhyShown    Why = "shown"    // something was said
	WhyWithheld Why = "withheld" // withheld to measure what showing it would have changed
	WhyNothing  Why = "nothing"  // every candidate was said before, or there was none
	WhyBelow    Why = "below"    // the best candidate is less likely than the threshold
	WhyIdle     Why = "idle"     // the turn probably opens no file
	WhySoon     Why = "soon"     // the last hint was less than 30 s ago
	WhySpent    Why = "spent"    // the session's allowance of tokens is used up
	WhySpace    Why = "space"    // the words had no room
	WhyReading  Why = "reading"  // the files had not been read yet since the daemon's start
	WhyLate     Why = "late"     // the agent no longer waited
)

// Decide decides what is said now. It is the only place where a file, a list or a fact gets its
// status:
//
//   - A candidate is worth saying when its probability reaches the threshold of its kind, a list
//     when its estimate does (ListEstimate), a fact always. What is not is logged as shadow, once
//     per kind and conversation, if it reaches Floor.
//   - Nothing is said to a conversation twice, and never the current file. A fact about a file is
//     said once for each kind of facts.
//   - A session whose tokens are spent, and a hint within 30 s of the last one stay silent.
//   - A share is withheld, drawn for each file and session, for each list, for each Topic. What
//     was shown to a conversation or withheld from it keeps that status, whatever the kind.
//
// It looks at nothing but the candidates, the session and what outcomes have taught, and takes
// microseconds.
func (p *Prefetcher) Decide(q Question, c *Candidates) Decision {
	q.Query.Task = traits[q.Kind].task
	s := p.situation(q.Query.Session, q.Query.At)
	p.mu.Lock()
	defer p.mu.Unlock()
	s.join(p.waiting(q.Query.Session, q.Query.At), q.Query.Subagent)
	d := Decision{Why: WhyNothing, Spent: q.Query.Session != "" && s.Tokens >= p.o.tokens(), question: q,
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
			if status != Shadow || c.keep && !s.kinds[kind][x.File] && len(d.statuses[Shadow]) < MaxFiles {
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

// silent is why nothing is said now, whatever the candidates are; "" if something may be said.
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

// choice is what one decision is about: a file or a list.
type choice struct {
	name  string // whether it is withheld is decided by hashing this name
	files []Candidate
	worth bool // likely enough to be shown
	keep  bool // likely enough to be logged where it is not shown
}

// choices sorts candidates into what is decided on as one, the likeliest first, without what must
// not be said.
func (p *Prefetcher) choices(d *Decision, candidates []Candidate, s situation) (out []choice) {
	q, tr := d.question, d.trait
	skip := func(f event.Path) bool {
		_, has := s.statuses[f]
		return f == q.Query.Current || has && (!tr.fact || s.kinds[q.Kind][f])
	}
	if tr.list {
		c := choice{cmp.Or(q.Topic, "list "+strconv.Itoa(s.turn.Prompts)), candidates, true, true}
		switch {
		case !tr.fact:
			var e ListEstimate
			c.files, e = p.o.confident().list(q.Kind).Choose(q.Query, s.turn, candidates, skip)
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
		// What only the kind's intercept lowers is logged, or it could never be raised again.
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
	if session != "" && heldOut(p.o.Seed, session, event.Path(name), p.o.holdout()) {
		return Withheld
	}
	return Shown
}

// Left is how many tokens a session may still be spent on it.
func (p *Prefetcher) Left(session string, at time.Time) int {
	return max(0, p.o.tokens()-p.situation(session, at).Tokens)
}
