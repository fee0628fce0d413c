package log

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
)

// States are what is folded of the log and saved together, at one position of it.
type States struct {
	Hot         *hot.Store
	Predictions *prefetch.State
	Sessions    *session.Sessions
	consumers   []Consumer // that get each event with what it changed in its session
}

// Consumer folds events into a state of its own.
type Consumer interface {
	learn.Consumer
	state
}

// state can be saved, and restored while it is empty.
type state interface {
	Snapshot() ([]byte, error)
	Restore(saved []byte) error
}

// newStates makes the states before the first event. A consumer is added here.
func newStates(now func() time.Time) *States {
	s := &States{Hot: hot.New(now), Sessions: session.New(), Predictions: prefetch.NewState()}
	s.consumers = []Consumer{s.Predictions}
	return s
}

// all are the states in the order in which they are saved.
func (s *States) all() []state {
	out := []state{s.Hot, s.Sessions}
	for _, c := range s.consumers {
		out = append(out, c)
	}
	return out
}

// Snapshot encodes all states, each behind its length in 8 bytes.
func (s *States) Snapshot() (saved []byte, err error) {
	for _, x := range s.all() {
		part, err := x.Snapshot()
		if err != nil {
			return nil, err
		}
		saved = append(binary.BigEndian.AppendUint64(saved, uint64(len(part))), part...)
	}
	return saved, nil
}

// Restore is the inverse of Snapshot.
func (s *States) Restore(saved []byte) error {
	for _, x := range s.all() {
		if len(saved) < 8 || binary.BigEndian.Uint64(saved) > uint64(len(saved)-8) {
			return errors.New("a state is missing")
		}
		end := 8 + binary.BigEndian.Uint64(saved)
		if err := x.Restore(saved[8:end]); err != nil {
			return err
		}
		saved = saved[end:]
	}
	return nil
}
