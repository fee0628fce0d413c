package log

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
)

// States are all in-memory states that are computed from the log. They are saved together, for one
// position of the log. Only the goroutine that writes the log changes them; any goroutine may read
// them.
type States struct {
	Hot         *hot.Store
	Predictions *prefetch.State
	Sessions    *session.Sessions
	Turns       *reload.Turns

	consumers []Consumer // the consumers, which get each event and what it changed in its session
}

// Consumer is a state that is updated by each event.
type Consumer interface {
	// Apply updates the state with one event. It may use only its arguments and its own state: the
	// event, its session after the event (nil for none), and what the event changed in sessions. It
	// uses no clock, no disk and no other consumer, and keeps none of the arguments.
	Apply(e event.Event, s *session.Session, d session.Delta)
	state
}

// state is something that can be saved and restored.
type state interface {
	// Snapshot encodes the whole state.
	Snapshot() ([]byte, error)
	// Restore replaces the state by one that Snapshot has encoded; nil empties it. After an error
	// the state may be incomplete.
	Restore(saved []byte) error
}

// newStates returns empty states. Add new consumers here.
func newStates(o Options) *States {
	s := &States{Hot: hot.New(), Sessions: session.New(), Predictions: prefetch.NewState(),
		Turns: reload.NewTurns(o.EndsTurns)}
	s.consumers = []Consumer{learn.New(s.Hot), s.Predictions, s.Turns}
	return s
}

// all returns the states in the order in which they are saved.
func (s *States) all() []state {
	out := []state{s.Sessions}
	for _, c := range s.consumers {
		out = append(out, c)
	}
	return out
}

// snapshot encodes all states.
func (s *States) snapshot() ([]byte, error) {
	var parts [][]byte
	for _, x := range s.all() {
		part, err := x.Snapshot()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return codec.Encode(parts)
}

// restore replaces the states by an encoded snapshot. After an error they are empty.
func (s *States) restore(saved []byte) error {
	var parts [][]byte
	if err := codec.Decode(saved, &parts); err != nil {
		return err
	}
	all := s.all()
	if len(parts) != len(all) {
		return fmt.Errorf("the snapshot has %d states, not %d", len(parts), len(all))
	}
	for i, x := range all {
		if err := x.Restore(parts[i]); err != nil {
			return errors.Join(err, s.drop())
		}
	}
	return nil
}

// drop empties all states.
func (s *States) drop() (err error) {
	for _, x := range s.all() {
		err = errors.Join(err, x.Restore(nil))
	}
	return err
}

// apply applies a batch of the log to the states. If an event makes a consumer panic, the event is
// skipped; otherwise the next start would read it again and no later event could ever be learned.
func (l *Log) apply(seq int64, events []event.Event) {
	begin := l.o.Now()
	for _, e := range events {
		l.guard(e, func() {
			s, d := l.Sessions.Apply(e)
			for _, c := range l.consumers {
				c.Apply(e, s, d)
			}
		})
	}
	l.note(func(s *Status) { s.Position = seq })
	l.o.Count.Learned(len(events), l.o.Now().Sub(begin))
}

// guard calls do for an event, and logs a warning if it panics.
func (l *Log) guard(e event.Event, do func()) {
	defer func() {
		if why := recover(); why != nil {
			l.o.Log.Error("learning an event panicked", "event", e.ID, "panic", why, "stack", string(debug.Stack()))
			l.o.Alert.Warn("an event cannot be learned and is passed over", "event", e.ID, "kind", e.Kind(), "why", why)
		}
	}()
	do()
}

// Counter counts the events that were learned.
type Counter interface {
	Learned(events int, took time.Duration)
}
