package prefetch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/rank"
)

// Options of a Prefetcher. The zero value works. The functions are asked at every decision, so that a changed
// setting holds at once.
type Options struct {
	Threshold func() float64 // where thresholds start, clamped to [Floor, Ceiling]; nil is Balanced
	// threshold of a list at a prompt (see ListEstimate.Right), clamped to [Floor, Ceiling]; nil is ListThreshold
	List func() float64
	// what Threshold was when the log began, until its first SetThreshold event; nil is Threshold
	First     func() float64
	Holdout   func() float64  // share of predictions kept back, in [0,1]; nil is 0.10
	Kinds     func(Kind) bool // whether a kind is switched on; nil: all are
	Tokens    func() int      // what may be spent on one session, in tokens; nil is 2000
	Confident *Confidence     // how rankings become predictions; nil is Shipped()
	Archive                   // what is known about changes beside their rankings; without Changes they are not weighed
	Seed      string          // makes the holdout of one repository differ from that of another
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

func (o Options) first() float64 {
	if o.First == nil {
		return o.threshold()
	}
	return clamp(o.First())
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

func (o Options) on(k Kind) bool { return o.Kinds == nil || o.Kinds(k) }

// Prefetcher decides what is worth saying. It is safe for concurrent use; its state lives in the hot store and the
// sessions.
type Prefetcher struct {
	store  *hot.Store
	live   *live.Sessions
	ranker *rank.Ranker
	o      Options
	*flight
}

// flight is the decisions whose events were not folded yet. The Prefetchers of one store share it.
type flight struct {
	mu      sync.Mutex           // guards pending
	pending map[string][]pending // session → decisions, oldest first
}

// pending is a decision on its way through the log: until Fold has seen it, a second decision must not say
// the same, nor speak too soon after it.
type pending struct {
	id    string
	by    string // conversation
	at    time.Time
	kind  Kind
	arm   Arm
	files []event.Path
}

// The bounds of what is on its way. A log that takes longer than pendingLife is not taking it.
const (
	pendingLife = 5 * time.Second
	maxPending  = 16   // decisions per session
	maxSessions = 1024 // sessions
)

// New makes a Prefetcher over the store and the sessions that the ranker reads.
func New(store *hot.Store, sessions *live.Sessions, ranker *rank.Ranker, o Options) *Prefetcher {
	return &Prefetcher{store: store, live: sessions, ranker: ranker, o: o,
		flight: &flight{pending: map[string][]pending{}}}
}

// For is the same Prefetcher for another worktree's ranking and files: what one has decided, the other knows.
func (p *Prefetcher) For(ranker *rank.Ranker, a Archive) *Prefetcher {
	o := p.o
	o.Archive = a
	return &Prefetcher{store: p.store, live: p.live, ranker: ranker, o: o, flight: p.flight}
}

// Threshold returns the threshold of a session without the drift of any kind, and those of the kinds as they
// have adapted, with the session's offset and penalty; all in [Floor, Ceiling]. Session "" is none.
func (p *Prefetcher) Threshold(ctx context.Context, session string, at time.Time) (value float64,
	kinds map[string]float64, err error) {
	s, err := p.state(ctx, session, at)
	if err != nil {
		return 0, nil, err
	}
	kinds = map[string]float64{}
	for _, k := range Kinds() {
		if !traits[k].fact {
			kinds[string(k)] = theta(p.o.start(traits[k], s.base), s.drift[k], s.Offset, s.Ignored)
		}
	}
	return theta(s.base, 0, s.Offset, s.Ignored), kinds, nil
}

// state is what a decision depends on, as it was read.
type state struct {
	live.Hints
	notified // of the conversation
	turn     Turn
	base     float64
	drift    map[Kind]float64
	facts    map[string]string // the records
	own      Calibration

	searching Searching
}

// join takes a conversation out of the session, with the decisions that are on their way.
func (s *state) join(waiting []pending, conversation string) {
	s.notified = notifiedOf(s.Marks, conversation)
	s.HintAt = maps.Clone(s.HintAt)
	for _, d := range waiting {
		if d.by != conversation {
			continue
		}
		for _, f := range d.files {
			s.add(d.kind, d.arm, f)
		}
		if tr := traits[d.kind]; d.arm != Shadow && (tr.hint || tr.list) {
			if s.HintAt == nil {
				s.HintAt = map[string]time.Time{}
			}
			if d.at.After(s.HintAt[conversation]) {
				s.HintAt[conversation] = d.at
			}
		}
	}
}

// state reads what a decision needs, in one round trip.
func (p *Prefetcher) state(ctx context.Context, id string, at time.Time) (state, error) {
	v := p.store.View(at)
	facts, records, refit, searching := v.Facts(factDrift), v.Facts(factRecord), v.Facts(factRefit), v.Facts(factSearching)
	if err := v.Load(ctx); err != nil {
		return state{}, fmt.Errorf("read session %s: %w", id, err)
	}
	s := state{base: p.o.threshold(), facts: records.Fields, own: decodeRefit(refit.Fields[fieldNow]).Now,
		searching: searchingOf(searching.Fields)}
	s.drift = drifts(facts.Fields, s.base)
	if id != "" {
		now := p.live.Get(id, at)
		named, _ := now.NamedNow()
		s.Hints, s.turn = now.Hints, Turn{int(max(now.Prompts-1, 0)), len(named) > 0}
	}
	return s, nil
}

// drifts are those of the kinds, none if they were learned under another threshold than base: who sets a
// threshold means it.
func drifts(facts map[string]string, base float64) map[Kind]float64 {
	out := map[Kind]float64{}
	if facts[fieldBase] == number(base) {
		for k := range traits {
			out[k] = parse(facts[string(k)])
		}
	}
	return out
}

// hold remembers a decision until its event is folded. mu is held.
func (p *Prefetcher) hold(session string, d pending) {
	if len(p.pending) >= maxSessions && p.pending[session] == nil {
		clear(p.pending) // their events never came: the log has refused them
	}
	held := append(p.pending[session], d)
	p.pending[session] = held[max(0, len(held)-maxPending):]
}

// waiting returns the decisions of a session that are still on their way at that time. mu is held.
func (p *Prefetcher) waiting(session string, at time.Time) []pending {
	return slices.DeleteFunc(slices.Clone(p.pending[session]), func(d pending) bool { return at.Sub(d.at) > pendingLife })
}

// seen lets go of decisions that the log now tells about.
func (p *Prefetcher) seen(events []event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range events {
		if e.Kind() != event.KindSuggest {
			continue
		}
		left := slices.DeleteFunc(p.pending[e.Session], func(d pending) bool { return d.id == e.ID })
		if p.pending[e.Session] = left; len(left) == 0 {
			delete(p.pending, e.Session)
		}
	}
}
