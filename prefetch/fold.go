package prefetch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// Where the state lives in the hot store.
const (
	factDrift   = "threshold"   // kind → how far its threshold has drifted from base
	factRecord  = "predictions" // kind:arm:predicted|used → counts
	factWaiting = "waiting"     // session → unix ms of its newest event, while predictions wait
	factRefit   = "refit"       // now → the last Refit
	fieldBase   = "base"
	fieldNow    = "now"

	factSearching = "searching" // turns|before|searches|tokens → counts: see Searching
)

// folded is the state while a batch is folded.
type folded struct {
	sessions map[string]*session
	loaded   map[string]string // session → stored form as it was read
	facts    map[string]map[string]string
	changed  map[string]map[string]bool // fact key → field
}

// Fold is the only writer of what prefetch remembers. It is to be called once per logged batch, with all its
// events, what they changed in their sessions, and the same Batch that the learning of these events goes into: state is
// then a fold of the log, and replay gives the same. One round trip if the batch has anything to fold, none else.
func (p *Prefetcher) Fold(ctx context.Context, b *hot.Batch, events []event.Event, deltas []live.Delta) error {
	st, err := p.load(ctx, events)
	if err != nil || st == nil {
		return err
	}
	for i, e := range events {
		p.fold(st, e, &deltas[i])
	}
	for id, s := range st.sessions {
		s.sweep()
		if now := s.encode(); now != st.loaded[id] {
			p.live.SetHints(id, now, time.UnixMilli(s.Last))
		}
		waiting := ""
		if s.waits() {
			waiting = strconv.FormatInt(s.Last, 10)
		}
		st.set(factWaiting, id, waiting)
	}
	for key, fields := range st.changed {
		for field := range fields {
			b.Fact(key, field, st.facts[key][field])
		}
	}
	p.seen(events)
	return nil
}

// load reads the sessions and facts that the events touch; nil if they touch none.
func (p *Prefetcher) load(ctx context.Context, events []event.Event) (*folded, error) {
	ids, err := p.awaiting(ctx, events)
	if err != nil {
		return nil, err
	}
	tick := false
	for _, e := range events {
		if e.Session != "" && (e.Kind.Open() || slices.Contains(foldedKinds, e.Kind)) {
			ids[e.Session] = true
		}
		tick = tick || e.Kind == event.KindTick
	}
	alone := func(e event.Event) bool { return e.Kind == event.KindFeedback || e.Kind == event.KindSetting } // matters without a session
	if len(ids) == 0 && !tick && !slices.ContainsFunc(events, alone) {
		return nil, nil
	}
	v := p.store.View(newest(events))
	facts := map[string]*hot.Facts{}
	for _, key := range []string{factDrift, factRecord, factWaiting, factRefit, factSearching} {
		facts[key] = v.Facts(key)
	}
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read predictions: %w", err)
	}
	st := &folded{sessions: map[string]*session{}, loaded: map[string]string{}, facts: map[string]map[string]string{},
		changed: map[string]map[string]bool{}}
	for id := range ids {
		st.loaded[id] = p.live.Get(id, newest(events)).Hints
		s := decodeSession(st.loaded[id])
		st.sessions[id] = &s
	}
	for key, f := range facts {
		st.facts[key] = maps.Clone(f.Fields)
		if st.facts[key] == nil {
			st.facts[key] = map[string]string{}
		}
	}
	return st, nil
}

// foldedKinds are the kinds that matter besides opens.
var foldedKinds = []event.Kind{event.KindPrompt, event.KindStart, event.KindEnd, event.KindSearch, event.KindSuggest, event.KindOutcome,
	event.KindFeedback}

func (p *Prefetcher) fold(st *folded, e event.Event, d *live.Delta) {
	if e.Kind == event.KindCommit {
		for _, s := range st.sessions {
			s.committed(e)
		}
		return
	}
	s := st.sessions[e.Session]
	if s == nil {
		s = &session{} // an event without a session: only thresholds can change
	}
	s.Last = max(s.Last, e.Time.UnixMilli())
	switch {
	case e.Kind.Open():
		first := d.First()
		if s.opened(e, first); first {
			st.found(s)
		}
	case e.Kind == event.KindSearch:
		st.searched(s, e)
	case e.Kind == event.KindPrompt && e.Subagent == "":
		s.prompted()
	case e.Kind == event.KindEnd:
		s.ended()
	case e.Kind == event.KindStart && (e.Tool == "compact" || e.Tool == "clear"):
		s.compacted(e.Subagent)
	case e.Kind == event.KindSuggest:
		st.suggest(s, e)
	case e.Kind == event.KindOutcome:
		p.foldOutcome(st, s, e)
	case e.Kind == event.KindFeedback:
		p.foldFeedback(st, s, e)
	case e.Kind == event.KindSetting && e.Tool == settingThreshold && len(e.Scores) == 1:
		st.rebase(clamp(e.Scores[0]))
	case e.Kind == event.KindTick:
		st.forget(e.Time)
	}
}

// awaiting are the sessions whose predictions a commit of the batch may decide; none without a commit.
func (p *Prefetcher) awaiting(ctx context.Context, events []event.Event) (map[string]bool, error) {
	ids := map[string]bool{}
	if !slices.ContainsFunc(events, func(e event.Event) bool { return e.Kind == event.KindCommit }) {
		return ids, nil
	}
	v := p.store.View(newest(events))
	waiting := v.Facts(factWaiting)
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read waiting predictions: %w", err)
	}
	for id := range waiting.Fields {
		ids[id] = true
	}
	return ids, nil
}

// forget drops waiting sessions that have expired: all their predictions were settled when they fell idle.
func (st *folded) forget(at time.Time) {
	for id, last := range st.facts[factWaiting] {
		if at.Sub(time.UnixMilli(int64(parse(last)))) > live.Life {
			st.set(factWaiting, id, "")
		}
	}
}

func (st *folded) suggest(s *session, e event.Event) {
	if e.Session == "" {
		return
	}
	s.suggest(e)
	kind, arm, n := Kind(e.Tool), Arm(e.Why), len(e.Paths)
	st.add(kind, arm, "tokens", float64(max(e.Tokens, 0)))
	if traits[kind].list {
		n = min(n, 1)
	}
	st.add(kind, arm, "predicted", float64(n))
}

func (p *Prefetcher) foldOutcome(st *folded, s *session, e event.Event) {
	made, found, decided := s.settle(e)
	switch {
	case !found || !measures(e):
		return
	case traits[made.Kind].list && (!decided || !e.OK && !made.Opens):
		return // a list counts once, and not where the turn opened nothing
	}
	retired := recordOf(st.facts[factRecord], made.Kind).Retired
	if retired {
		st.fade(made.Kind)
	}
	if e.OK {
		st.count(made.Kind, made.Arm, "used")
	}
	st.count(made.Kind, made.Arm, "settled")
	if now := recordOf(st.facts[factRecord], made.Kind).verdict(); now != retired {
		st.set(factRecord, recordField(made.Kind, Shown, "retired"), map[bool]string{true: "1"}[now])
	}
	if made.Arm == Shown {
		st.move(made.Kind, e.OK, p.o.first())
	}
}

// foldFeedback takes a person's word: it moves the session's offset, and counts as one outcome of the kind it
// is about, or of every hint when it does not say.
func (p *Prefetcher) foldFeedback(st *folded, s *session, e event.Event) {
	switch e.Why {
	case Revive:
		st.revive(Kind(e.Tool))
		return
	case refitted:
		if r := decodeRefit(e.Text); r.Verdict != "" {
			st.set(factRefit, fieldNow, r.encode())
		}
		return
	}
	by := feedbackStep
	if e.OK {
		by, s.Ignored = -feedbackStep, 0
	}
	s.Offset = min(max(s.Offset+by, -maxOffset), maxOffset)
	_, known := traits[Kind(e.Tool)]
	for _, k := range Kinds() {
		if k == Kind(e.Tool) || !known && (traits[k].hint || traits[k].list) && !traits[k].fact {
			st.move(k, e.OK, p.o.first())
		}
	}
}

// SetThreshold is the event that tells Fold what Options.Threshold is from now on. Fold asks the log and not the setting
// of the moment: a replay under another setting gives the same state.
func SetThreshold(value float64, at time.Time) event.Event {
	return event.Event{ID: fmt.Sprintf("setting:%s:%d", settingThreshold, at.UnixNano()), Time: at, Kind: event.KindSetting, Agent: "cli",
		Tool: settingThreshold, Scores: []float64{value}}
}

// settingThreshold is Event.Tool of SetThreshold.
const settingThreshold = "threshold"

// rebase makes base where thresholds start. Drifts learned under another base are dropped.
func (st *folded) rebase(base float64) {
	if st.facts[factDrift][fieldBase] == number(base) {
		return
	}
	st.set(factDrift, fieldBase, number(base))
	for _, other := range Kinds() {
		st.set(factDrift, string(other), "")
	}
}

// move steps a kind's drift. first is the base when nothing has said another.
func (st *folded) move(k Kind, used bool, first float64) {
	if st.facts[factDrift][fieldBase] == "" {
		st.rebase(first)
	}
	base := parse(st.facts[factDrift][fieldBase])
	now := drifts(st.facts[factDrift], base)
	st.set(factDrift, string(k), number(drift(now[k], step(used, traits[k].target()), traits[k].start(base))))
}

func (st *folded) count(k Kind, f Arm, what string) { st.add(k, f, what, 1) }

func (st *folded) add(k Kind, f Arm, what string, n float64) {
	if n != 0 {
		st.plus(factRecord, recordField(k, f, what), n)
	}
}

func (st *folded) plus(key, field string, n float64) {
	st.set(key, field, number(parse(st.facts[key][field])+n))
}

// fade weakens the evidence that has silenced a kind.
func (st *folded) fade(k Kind) {
	for _, f := range []Arm{Shown, Withheld} {
		for _, what := range []string{"settled", "used"} {
			field := recordField(k, f, what)
			st.set(factRecord, field, number(parse(st.facts[factRecord][field])*fade))
		}
	}
}

// revive drops the evidence that has silenced a kind.
func (st *folded) revive(k Kind) {
	if !recordOf(st.facts[factRecord], k).Retired {
		return
	}
	st.set(factRecord, recordField(k, Shown, "retired"), "")
	for _, f := range []Arm{Shown, Withheld} {
		for _, what := range []string{"settled", "used"} {
			st.set(factRecord, recordField(k, f, what), "")
		}
	}
}

func (st *folded) set(key, field, value string) {
	if st.facts[key][field] == value {
		return
	}
	st.facts[key][field] = value
	if st.changed[key] == nil {
		st.changed[key] = map[string]bool{}
	}
	st.changed[key][field] = true
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// parse reads a stored number; what is none is 0.
func parse(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= -1e15 && x <= 1e15) {
		return 0
	}
	return x
}

// newest is the latest time among the events.
func newest(events []event.Event) (at time.Time) {
	for _, e := range events {
		if e.Time.After(at) {
			at = e.Time
		}
	}
	return at
}
