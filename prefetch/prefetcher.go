package prefetch

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/rank"
)

// Settings are what a person sets.
type Settings struct {
	Threshold float64 // where thresholds start, limited to [Floor, Ceiling]
	List      float64 // the threshold of a list (see ListEstimate.Right), limited to [Floor, Ceiling]
	Holdout   float64 // share of predictions that are withheld; values outside of [0,1] mean all or nothing
	Tokens    int     // tokens that may be spent on one session
}

// Defaults are the settings of a person who has set nothing.
var Defaults = Settings{Threshold: Balanced, List: ListThreshold, Holdout: 0.10, Tokens: 2000}

// Options of a Prefetcher. The zero value works.
type Options struct {
	Settings  func() Settings  // called at every decision; nil means Defaults
	Confident *Confidence      // turns rankings into probabilities; nil means Shipped()
	Weights   *history.Weights // for companions of a change; nil means history.Shipped()
	Seed      string           // makes different repositories withhold different hints
}

// Prefetcher decides what is worth saying, from the State and the sessions. It is safe for
// concurrent use.
type Prefetcher struct {
	*State
	sessions *session.Sessions
	ranker   *rank.Ranker
	o        Options
}

// pending is a decision whose event is on its way through the log. Until the event comes back,
// another decision must neither say the same nor come too soon after it.
type pending struct {
	id     string
	by     string // the conversation
	at     time.Time
	kind   HintKind
	status Status
	files  []event.Path
}

// Limits for pending decisions. An event that has not come back after pendingFor was not logged.
const (
	pendingFor  = 5 * time.Second
	maxPending  = 16   // decisions per session
	maxSessions = 1024 // sessions
)

// New returns a Prefetcher for the sessions that the ranker reads.
func New(s *State, sessions *session.Sessions, ranker *rank.Ranker, o Options) *Prefetcher {
	if o.Settings == nil {
		o.Settings = func() Settings { return Defaults }
	}
	o.Confident = cmp.Or(o.Confident, Shipped())
	return &Prefetcher{State: s, sessions: sessions, ranker: ranker, o: o}
}

// For returns a Prefetcher for the ranker of another worktree. Both share their decisions.
func (p *Prefetcher) For(ranker *rank.Ranker) *Prefetcher {
	return New(p.State, p.sessions, ranker, p.o)
}

// Threshold returns the thresholds of a session: value without the drift of any kind, and for each
// kind the one that applies, with its drift, the session's offset and its penalty. All are in
// [Floor, Ceiling]. Session "" means no session.
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

// theta returns the threshold of a kind that ranks. For Partner it is that of aoa check.
func (p *Prefetcher) theta(k HintKind, s situation) float64 {
	if k == Partner {
		return Sure(s.base)
	}
	start := traits[k].start(s.base)
	if traits[k].list {
		start = clamp(p.o.Settings().List)
	}
	return theta(start, s.drift[k], s.Offset, s.Ignored)
}

// situation has everything but the candidates that a decision depends on, read at one time.
type situation struct {
	session.Hints
	notified // the files that the conversation was shown
	turn     Turn
	base     float64
	drift    map[HintKind]float64
}

// join selects one conversation of the session and adds its pending decisions.
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

// situation returns what a decision in a session needs.
func (p *Prefetcher) situation(id string, at time.Time) situation {
	s := situation{base: clamp(p.o.Settings().Threshold)}
	p.mu.Lock()
	if p.State.base() == s.base { // what was learned under another setting does not count
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

// hold adds a pending decision. The caller holds mu.
func (s *State) hold(session string, d pending) {
	if len(s.pending) >= maxSessions && s.pending[session] == nil {
		clear(s.pending) // the log has refused their events
	}
	held := append(s.pending[session], d)
	s.pending[session] = held[max(0, len(held)-maxPending):]
}

// waiting returns the decisions of a session that are still pending at a time. The caller holds mu.
func (s *State) waiting(session string, at time.Time) []pending {
	return slices.DeleteFunc(slices.Clone(s.pending[session]), func(d pending) bool { return at.Sub(d.at) > pendingFor })
}

// folds removes a pending decision whose event has been logged. The caller holds mu.
func (s *State) folds(session, id string) {
	left := slices.DeleteFunc(s.pending[session], func(d pending) bool { return d.id == id })
	if s.pending[session] = left; len(left) == 0 {
		delete(s.pending, session)
	}
}

// notified remembers which files were shown to one conversation or withheld from it.
type notified struct {
	statuses map[event.Path]Status // for each file, whether it was shown or withheld, under any kind
	// for each kind, the files predicted under it; shadow only if they were never shown or withheld
	kinds map[HintKind]map[event.Path]Status
}

func (t notified) add(kind HintKind, status Status, f event.Path) {
	if t.kinds[kind] == nil {
		t.kinds[kind] = map[event.Path]Status{}
	}
	if of := t.kinds[kind]; of[f] == "" || status != Shadow && of[f] != Shown {
		of[f] = status
	}
	if status != Shadow && t.statuses[f] != Shown {
		t.statuses[f] = status
	}
}

// notifiedOf returns the notified of a conversation, from the marks of its session.
func notifiedOf(marks []session.Mark, conversation string) notified {
	t := notified{map[event.Path]Status{}, map[HintKind]map[event.Path]Status{}}
	for _, m := range marks {
		if m.By == conversation {
			t.add(HintKind(m.Kind), Status(m.Status), m.File)
		}
	}
	return t
}
