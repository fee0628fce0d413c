package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
)

// saved is the content of a snapshot.
type saved struct {
	Sessions map[string]*Session
	Over     map[string]*Summary      // summaries of sessions that are over
	Edited   map[event.Path]time.Time // see Sessions.edited
}

// ErrSnapshot means that a snapshot is damaged, or of another version.
var ErrSnapshot = errors.New("damaged snapshot of sessions")

// Snapshot encodes all sessions.
func (l *Sessions) Snapshot() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return codec.Encode(saved{l.sessions, l.over, l.edited})
}

// Restore replaces all sessions by those of a snapshot; nil removes them. After an error there are
// none.
func (l *Sessions) Restore(data []byte) (err error) {
	fresh := New()
	s := saved{fresh.sessions, fresh.over, fresh.edited}
	if data != nil {
		if err = codec.Decode(data, &s); err == nil {
			err = s.check()
		}
	}
	if err != nil {
		fresh, err = New(), fmt.Errorf("%w: %w", ErrSnapshot, err)
		s = saved{fresh.sessions, fresh.over, fresh.edited}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions, l.over, l.edited, l.views, l.open = s.Sessions, s.Over, s.Edited, fresh.views, fresh.open
	for id := range l.sessions {
		l.follow(id)
	}
	return err
}

// check returns an error if a snapshot contains something that Apply cannot have produced.
func (s *saved) check() error {
	if s.Sessions == nil || s.Over == nil || s.Edited == nil {
		return errors.New("a part is missing")
	}
	for id, x := range s.Over {
		if x == nil || x.ID != id || !x.usable() {
			return fmt.Errorf("the session %.40q has ended without a state", id)
		}
	}
	for id, x := range s.Sessions {
		if x == nil || !x.Exists() || len(x.First) != len(x.Opened) || !x.Summary.usable() || !x.whole() {
			return fmt.Errorf("the session %.40q is not valid", id)
		}
	}
	return nil
}

// whole reports whether none of the maps that newSession makes is nil.
func (s *Session) whole() bool {
	return s.Opened != nil && s.Named != nil && s.Commands != nil && s.Seen != nil && s.Terms != nil && s.Edits != nil
}

// usable reports whether a stored summary may be used.
func (s *Summary) usable() bool { return s.ID == "" || s.State.Known() }
