package prefetch

import (
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/rank"
)

// Options of a Prefetcher. The zero value works. The functions are asked at every decision, so that
// a changed setting holds at once.
type Options struct {
	Threshold func() float64 // where thresholds start, clamped to [Floor, Ceiling]; nil is Balanced
	// threshold of a list (see ListEstimate.Right), clamped to [Floor, Ceiling]; nil is
	// ListThreshold
	List      func() float64
	Holdout   func() float64   // share of predictions kept back, in [0,1]; nil is 0.10
	Tokens    func() int       // what may be spent on one session, in tokens; nil is 2000
	Confident *Confidence      // how rankings become predictions; nil is Shipped()
	Weights   *history.Weights // of what goes with a change; nil is history.Shipped()
	Seed      string           // so that different repositories withhold different hints
}

func (o Options) threshold() float64 {
	if o.Threshold == nil {
		return Balanced
	}
	return clamp(o.Threshold())
}

func (o Options) list() float64 {
	if o.List == nil {
		return ListThreshold
	}
	return clamp(o.List())
}

// start is where the threshold of a kind starts, base being Threshold.
func (o Options) start(t trait, base float64) float64 {
	if t.list {
		return o.list()
	}
	return t.start(base)
}

func (o Options) holdout() float64 {
	if o.Holdout == nil {
		return 0.10
	}
	return o.Holdout() // compared only: what lies outside [0,1] is all or nothing
}

func (o Options) tokens() int {
	if o.Tokens == nil {
		return 2000
	}
	return o.Tokens()
}

func (o Options) confident() *Confidence {
	if o.Confident == nil {
		return Shipped()
	}
	return o.Confident
}

// Prefetcher decides what is worth saying, from the State and the sessions. It is safe for
// concurrent use.
type Prefetcher struct {
	*State
	sessions *session.Sessions
	ranker   *rank.Ranker
	o        Options
}

// pending is a decision on its way through the log. Until it is folded, a second decision must not
// say the same, nor come too soon after it.
type pending struct {
	id     string
	by     string // conversation
	at     time.Time
	kind   HintKind
	status Status
	files  []event.Path
}

// The bounds of what is on its way. A log that takes longer than pendingFor is not taking it.
const (
	pendingFor  = 5 * time.Second
	maxPending  = 16   // decisions per session
	maxSessions = 1024 // sessions
)

// New makes a Prefetcher over the sessions that the ranker reads.
func New(s *State, sessions *session.Sessions, ranker *rank.Ranker, o Options) *Prefetcher {
	return &Prefetcher{State: s, sessions: sessions, ranker: ranker, o: o}
}

// For returns the Prefetcher for another worktree's ranking. They share their decisions.
func (p *Prefetcher) For(ranker *rank.Ranker) *Prefetcher {
	return New(p.State, p.sessions, ranker, p.o)
}

// Threshold returns the threshold of a session without the drift of any kind, and those of the
// kinds as they have adapted, with the session's offset and penalty; all in [Floor, Ceiling].
// Session "" means no session.
func (p *Prefetcher) Threshold(session string, at time.Time) (value float64, kinds map[string]float64) {
	s := p.situation(session, at)
	kinds = map[string]float64{}
	for _, k := range Kinds() {
		if !traits[k].fact {
			kinds[string(k)] = p.theta(k, s)
		}
	}
	return theta(s.base, 0, s.Offset, s.Ignored), kinds
}

// theta is the threshold of a kind that ranks. That of Partner is the one of aoa check.
func (p *Prefetcher) theta(k HintKind, s situation) float64 {
	if k == Partner {
		return Sure(s.base)
	}
	return theta(p.o.start(traits[k], s.base), s.drift[k], s.Offset, s.Ignored)
}

// situation has what a decision depends on beside its candidates, as of one reading.
type situation struct {
	session.Hints
	notified // of the conversation
	turn     Turn
	base     float64
	drift    map[HintKind]float64
}

// join takes a conversation out of the session, with the decisions that are on their way.
func (s *situation) join(waiting []pending, conversation string) {
	s.notified = notifiedOf(s.Marks, conversation)
	s.HintAt = maps.Clone(s.HintAt)
	for _, d := range waiting {
		if d.by != conversation {
			continue
		}
		for _, f := range d.files {
			s.add(d.kind, d.status, f)
		}
		if tr := traits[d.kind]; d.status != Shadow && (tr.hint || tr.list) {
			if s.HintAt == nil {
				s.HintAt = map[string]time.Time{}
			}
			if d.at.After(s.HintAt[conversation]) {
				s.HintAt[conversation] = d.at
			}
		}
	}
}

// situation reads what a decision needs.
func (p *Prefetcher) situation(id string, at time.Time) situation {
	s := situation{base: p.o.threshold()}
	p.mu.Lock()
	if p.State.base() == s.base { // what was learned under another threshold does not count
		s.drift = maps.Clone(p.Drift)
	}
	p.mu.Unlock()
	if id != "" {
		now := p.sessions.Get(id, at)
		named, _ := now.NamedNow()
		s.Hints, s.turn = now.Hints, Turn{int(max(now.Prompts-1, 0)), len(named) > 0}
	}
	return s
}

// hold remembers a decision until its event is folded. mu is held.
func (s *State) hold(session string, d pending) {
	if len(s.pending) >= maxSessions && s.pending[session] == nil {
		clear(s.pending) // their events never came: the log has refused them
	}
	held := append(s.pending[session], d)
	s.pending[session] = held[max(0, len(held)-maxPending):]
}

// waiting returns the decisions of a session that are still on their way at that time. mu is held.
func (s *State) waiting(session string, at time.Time) []pending {
	return slices.DeleteFunc(slices.Clone(s.pending[session]), func(d pending) bool { return at.Sub(d.at) > pendingFor })
}

// folds forgets a decision that is in the log now. Call it with mu held.
func (s *State) folds(session, id string) {
	left := slices.DeleteFunc(s.pending[session], func(d pending) bool { return d.id == id })
	if s.pending[session] = left; len(left) == 0 {
		delete(s.pending, session)
	}
}
