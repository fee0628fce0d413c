package prefetch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/rank"
)

// Options of a Prefetcher. The zero value works.
type Options struct {
	// Threshold is where thresholds start, in [Floor, Ceiling]; 0 is Balanced. A threshold that was set by
	// hand (SetThreshold) wins.
	Threshold float64
	// Holdout is the share of predictions kept back to measure what showing is worth, in [0,1]. nil is 0.10.
	Holdout *float64
	// Seed makes the holdout of one repository differ from that of another.
	Seed string
	// Off switches kinds off.
	Off map[Kind]bool
}

func (o Options) threshold() float64 {
	if o.Threshold == 0 {
		return Balanced
	}
	return clamp(o.Threshold)
}

func (o Options) holdout() float64 {
	if o.Holdout == nil {
		return 0.10
	}
	return min(max(*o.Holdout, 0), 1)
}

// Prefetcher decides what is worth saying. It is safe for concurrent use; its state lives in the hot store.
type Prefetcher struct {
	store  *hot.Store
	ranker *rank.Ranker
	o      Options

	mu      sync.Mutex
	pending map[string][]pending // session → decisions whose events were not folded yet; guarded by mu
}

// pending is a decision on its way through the log: until Fold has seen it, a second decision must not say
// the same, nor speak too soon after it.
type pending struct {
	id   string
	at   time.Time
	kind Kind
	fate Fate
	said []aoa.Path
}

// maxPending bounds the decisions remembered per session, and the sessions, should their events never come.
const (
	maxPending         = 16
	maxPendingSessions = 1024
)

// New makes a Prefetcher over the store that the ranker reads.
func New(store *hot.Store, ranker *rank.Ranker, o Options) *Prefetcher {
	return &Prefetcher{store: store, ranker: ranker, o: o, pending: map[string][]pending{}}
}

// base is the threshold before any drift.
func (p *Prefetcher) base(facts map[string]string) float64 {
	if set := facts[fieldBase]; set != "" {
		return clamp(parse(set))
	}
	return p.o.threshold()
}

// Thresholds are those in force, in [Floor, Ceiling].
type Thresholds struct {
	Base  float64          `json:"base"`  // as configured or set by hand
	Kinds map[Kind]float64 `json:"kinds"` // as they have adapted, with the session's offset and penalty
}

// Threshold returns the thresholds in force for a session, "" for none.
func (p *Prefetcher) Threshold(ctx context.Context, session string, at time.Time) (Thresholds, error) {
	s, err := p.state(ctx, session, at)
	if err != nil {
		return Thresholds{}, err
	}
	t := Thresholds{Base: s.base, Kinds: map[Kind]float64{}}
	for _, k := range Kinds() {
		if !traits[k].fact {
			t.Kinds[k] = theta(s.base, s.drift[string(k)], s.Offset, s.Ignored)
		}
	}
	return t, nil
}

// SetThreshold returns the event that sets the threshold of all kinds and forgets their drift; it takes effect
// when the event is logged and folded. value must lie in [Floor, Ceiling].
func (p *Prefetcher) SetThreshold(value float64, at time.Time) (aoa.Event, error) {
	if !(value >= Floor && value <= Ceiling) {
		return aoa.Event{}, fmt.Errorf("set threshold %v: give a number from %.2f to %.2f, or conservative, balanced, aggressive", value, Floor, Ceiling)
	}
	return aoa.Event{ID: eventID("threshold", "", at, number(value)), Time: at, Kind: aoa.KindFeedback, Agent: "cli",
		Tool: SetTool, Scores: []float64{value}}, nil
}

// Feedback returns the event that says whether suggestions helped: those of kind, or all when it is "".
func (p *Prefetcher) Feedback(session string, kind Kind, helpful bool, at time.Time) (aoa.Event, error) {
	if _, ok := traits[kind]; kind != "" && !ok {
		return aoa.Event{}, fmt.Errorf("take feedback on %q: give one of %v", kind, Kinds())
	}
	return aoa.Event{ID: eventID("feedback", session, at, string(kind)), Time: at, Kind: aoa.KindFeedback, Agent: "cli",
		Session: session, Tool: string(kind), OK: helpful}, nil
}

// state is what a decision depends on, as it was read.
type state struct {
	session
	told  map[aoa.Path]time.Time
	base  float64
	drift map[string]float64 // kind → drift
}

// state reads what a decision needs, in one round trip.
func (p *Prefetcher) state(ctx context.Context, id string, at time.Time) (state, error) {
	v := p.store.View(at)
	facts := v.Facts(factDrift)
	var view *hot.SessionView
	if id != "" {
		view = v.Session(id)
	}
	if err := v.Load(ctx); err != nil {
		return state{}, fmt.Errorf("read session %s: %w", id, err)
	}
	s := state{base: p.base(facts.Fields), drift: map[string]float64{}}
	for kind, x := range facts.Fields {
		s.drift[kind] = parse(x)
	}
	if view != nil {
		s.session, s.told = decodeSession(view.Fields[fieldSession]), view.Told
	}
	return s, nil
}

// hold remembers a decision until its event is folded. mu is held.
func (p *Prefetcher) hold(session string, d pending) {
	if len(p.pending) >= maxPendingSessions && p.pending[session] == nil {
		clear(p.pending) // their events never came: the log has refused them
	}
	held := append(p.pending[session], d)
	p.pending[session] = held[max(0, len(held)-maxPending):]
}

// held returns the decisions of a session that are on their way.
func (p *Prefetcher) held(session string) []pending {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.pending[session])
}

// seen lets go of decisions that the log now tells about.
func (p *Prefetcher) seen(events []aoa.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range events {
		if e.Kind != aoa.KindSuggest {
			continue
		}
		left := slices.DeleteFunc(p.pending[e.Session], func(d pending) bool { return d.id == e.ID })
		if p.pending[e.Session] = left; len(left) == 0 {
			delete(p.pending, e.Session)
		}
	}
}
