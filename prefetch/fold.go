package prefetch

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// Where the state lives in the hot store.
const (
	factDrift  = "threshold"   // kind → how far its threshold has drifted from base
	factRecord = "predictions" // kind:arm:predicted|used → counts
	factRefit  = "refit"       // now → the last Refit
	fieldBase  = "base"
	fieldNow   = "now"

	factSearching = "searching" // turns|before|searches|tokens → counts: see Searching
)

// folded is the state while a batch is folded.
type folded struct {
	facts   map[string]map[string]string
	changed map[string]map[string]bool // fact key → field
}

// Fold is the only writer of what prefetch remembers of all sessions. It is to be called once per logged batch, with
// all its events, what they changed in their sessions, and the same Batch that the learning of these events goes into:
// state is then a fold of the log, and replay gives the same. One round trip if the batch has anything to fold, none
// else.
//
// Of other clones it folds feedback alone: their hints are decided there.
func (p *Prefetcher) Fold(ctx context.Context, b *hot.Batch, events []event.Event, deltas []live.Delta) error {
	var st *folded
	for i, e := range events {
		if !folds(e, &deltas[i]) {
			continue
		}
		if st == nil {
			var err error
			if st, err = p.load(ctx); err != nil {
				return err
			}
		}
		p.fold(st, e, &deltas[i])
	}
	if st == nil {
		return nil
	}
	for key, fields := range st.changed {
		for field := range fields {
			b.Fact(key, field, st.facts[key][field])
		}
	}
	p.seen(events)
	return nil
}

// folds reports whether an event matters.
func folds(e event.Event, d *live.Delta) bool {
	if e.Origin != "" && e.Kind() != event.KindFeedback {
		return false
	}
	switch e.Kind() {
	case event.KindFeedback, event.KindSetting:
		return true
	case event.KindSearch, event.KindSuggest:
		return e.Session != ""
	}
	return d.Sought != nil || d.Settled != nil
}

// load reads the facts.
func (p *Prefetcher) load(ctx context.Context) (*folded, error) {
	v := p.store.View(time.Time{})
	facts := map[string]*hot.Facts{}
	for _, key := range []string{factDrift, factRecord, factRefit, factSearching} {
		facts[key] = v.Facts(key)
	}
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read predictions: %w", err)
	}
	st := &folded{facts: map[string]map[string]string{}, changed: map[string]map[string]bool{}}
	for key, f := range facts {
		st.facts[key] = f.Fields
	}
	return st, nil
}

func (p *Prefetcher) fold(st *folded, e event.Event, d *live.Delta) {
	switch {
	case d.Sought != nil:
		st.found(d.Sought)
	case d.Settled != nil:
		p.foldOutcome(st, e, d.Settled)
	case e.Kind() == event.KindSearch:
		st.searched(e.Call())
	}
	switch b := e.Body.(type) {
	case event.Hint:
		st.suggest(b)
	case event.Feedback:
		p.foldFeedback(st, b)
	case event.Setting:
		st.setting(b)
	}
}

func (st *folded) suggest(h event.Hint) {
	kind, arm, n := Kind(h.Name), Arm(h.Arm), len(h.Paths)
	st.add(kind, arm, "tokens", float64(max(h.Tokens, 0)))
	if traits[kind].list {
		n = min(n, 1)
	}
	st.add(kind, arm, "predicted", float64(n))
}

func (p *Prefetcher) foldOutcome(st *folded, e event.Event, made *live.Settled) {
	kind, arm := Kind(made.Kind), Arm(made.Arm)
	o, _ := e.Body.(event.Outcome)
	switch {
	case !measures(o):
		return
	case traits[kind].list && (!made.Decides || !o.Used && !made.Opens):
		return // a list counts once, and not where the turn opened nothing
	}
	retired := recordOf(st.facts[factRecord], kind).Retired
	if retired {
		st.fade(kind)
	}
	if o.Used {
		st.count(kind, arm, "used")
	}
	st.count(kind, arm, "settled")
	if now := recordOf(st.facts[factRecord], kind).verdict(); now != retired {
		st.set(factRecord, recordField(kind, Shown, "retired"), map[bool]string{true: "1"}[now])
	}
	if arm == Shown {
		st.move(kind, o.Used, p.o.first())
	}
}

// foldFeedback takes a person's word: it counts as one outcome of the kind it is about, or of every hint when it does
// not say.
func (p *Prefetcher) foldFeedback(st *folded, f event.Feedback) {
	_, known := traits[Kind(f.Name)]
	for _, k := range Kinds() {
		if k == Kind(f.Name) || !known && (traits[k].hint || traits[k].list) && !traits[k].fact {
			st.move(k, f.Helped, p.o.first())
		}
	}
}

// The names of settings that Fold takes in.
const (
	settingThreshold = "threshold"   // what Options.Threshold is
	settingRevive    = "revive"      // a kind of hint that has another chance
	settingRefit     = "calibration" // a Refit
)

// setting takes in what was decided. Fold asks the log and not the setting of the moment: a replay under another
// setting gives the same state.
func (st *folded) setting(s event.Setting) {
	switch s.Name {
	case settingThreshold:
		if v, err := strconv.ParseFloat(s.Value, 64); err == nil {
			st.rebase(clamp(v))
		}
	case settingRevive:
		st.revive(Kind(s.Value))
	case settingRefit:
		if r := decodeRefit(s.Value); r.Verdict != "" {
			st.set(factRefit, fieldNow, r.encode())
		}
	}
}

// SetThreshold is the event that tells Fold what Options.Threshold is from now on.
func SetThreshold(value float64, at time.Time) event.Event {
	return event.Event{ID: fmt.Sprintf("setting:%s:%d", settingThreshold, at.UnixNano()), Time: at, Agent: "cli",
		Body: event.Setting{Name: settingThreshold, Value: number(value)}}
}

// LoggedThreshold is the threshold of the first event that sets one.
func LoggedThreshold(events []event.Event) (value float64, ok bool) {
	for _, e := range events {
		if s, _ := e.Body.(event.Setting); s.Name == settingThreshold {
			value, err := strconv.ParseFloat(s.Value, 64)
			return value, err == nil
		}
	}
	return 0, false
}

// SetRevived is the event that gives a retired kind another chance at once. call makes its ID.
func SetRevived(kind Kind, call string, at time.Time) event.Event {
	return event.Event{ID: "revive:" + string(kind) + ":" + call, Time: at, Agent: "cli",
		Body: event.Setting{Name: settingRevive, Value: string(kind)}}
}

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
