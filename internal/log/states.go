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

// States are folded from the log and saved together, at one position of it. Only the goroutine that
// writes the log changes them; anyone may read them.
type States struct {
	Hot         *hot.Store
	Predictions *prefetch.State
	Sessions    *session.Sessions
	Turns       *reload.Turns

	consumers []Consumer // that get each event with what it changed in its session
}

// Consumer folds events into a state of its own.
type Consumer interface {
	// Apply folds one event. It reads the event, its session as it is after it (nil for none), what
	// the event changed in sessions, and its own state, nothing else: no clock, no disk, no other
	// consumer. It keeps none of the arguments.
	Apply(e event.Event, s *session.Session, d session.Delta)
	state
}

// state can be saved, and replaced by what was saved.
type state interface {
	// Snapshot encodes the whole state.
	Snapshot() ([]byte, error)
	// Restore replaces the state by what Snapshot has encoded; nil empties it. After an error a
	// part of it is there.
	Restore(saved []byte) error
}

// newStates makes the states before the first event. A consumer is added here.
func newStates(o Options) *States {
	s := &States{Hot: hot.New(o.Now), Sessions: session.New(), Predictions: prefetch.NewState(),
		Turns: reload.NewTurns(o.EndsTurns)}
	s.consumers = []Consumer{learn.New(s.Hot), s.Predictions, s.Turns}
	return s
}

// all are the states in the order in which they are saved.
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

// restore is the inverse of snapshot. After an error nothing is in the states.
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

// apply folds a batch of the log. An event that makes a consumer panic is passed over, or all later
// ones would never be learned: the next start would read it again.
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
	l.note(func() { l.position = seq })
	l.o.Count.Learned(len(events), l.o.Now().Sub(begin))
}

// guard does something with an event, and warns if that panics.
func (l *Log) guard(e event.Event, do func()) {
	defer func() {
		if why := recover(); why != nil {
			l.o.Log.Error("an event made learning panic", "event", e.ID, "panic", why, "stack", string(debug.Stack()))
			l.o.Alert.Warn("an event cannot be learned and is passed over", "event", e.ID, "kind", e.Kind(), "why", why)
		}
	}()
	do()
}

// Counter counts what is learned.
type Counter interface {
	Learned(events int, took time.Duration)
}
