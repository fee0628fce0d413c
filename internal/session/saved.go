package session

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// snapshotVersion is the first byte of a snapshot. What follows are the edits of tools, the summaries of sessions that
// are over, then ids and sessions, as encoding/gob writes them, because paths are bytes that JSON would replace.
const snapshotVersion = 1

// ErrSnapshot means that a snapshot is damaged, or of another version.
var ErrSnapshot = errors.New("damaged snapshot of sessions")

// Snapshot encodes all sessions.
func (l *Sessions) Snapshot() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := bytes.NewBuffer([]byte{snapshotVersion})
	e := gob.NewEncoder(b)
	over := make([]Summary, 0, len(l.over))
	for _, id := range slices.Sorted(maps.Keys(l.over)) {
		over = append(over, *l.over[id])
	}
	if err := errors.Join(e.Encode(l.edited), e.Encode(over)); err != nil {
		return nil, fmt.Errorf("save the sessions that are over: %w", err)
	}
	for _, id := range slices.Sorted(maps.Keys(l.sessions)) {
		if err := errors.Join(e.Encode(id), e.Encode(l.sessions[id])); err != nil {
			return nil, fmt.Errorf("save session %q: %w", id, err)
		}
	}
	return b.Bytes(), nil
}

// Restore loads a snapshot into an empty state. After an error it is to be thrown away.
func (l *Sessions) Restore(data []byte) error {
	if len(data) == 0 || data[0] != snapshotVersion {
		return fmt.Errorf("%w: version", ErrSnapshot)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	d := gob.NewDecoder(bytes.NewReader(data[1:]))
	var over []Summary
	if err := errors.Join(d.Decode(&l.edited), d.Decode(&over)); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	for i := range over {
		if !over[i].usable() || over[i].ID == "" {
			return fmt.Errorf("%w: a session in no state", ErrSnapshot)
		}
		l.over[over[i].ID] = &over[i]
	}
	for {
		id, s := "", newSession()
		err := d.Decode(&id)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, d.Decode(s)); err != nil {
			return fmt.Errorf("%w: %w", ErrSnapshot, err)
		}
		if !s.Exists() || len(s.First) != len(s.Opened) || !s.Summary.usable() {
			return fmt.Errorf("%w: content", ErrSnapshot)
		}
		l.sessions[id] = s
		l.follow(id)
	}
}

// usable reports whether a stored summary may be used.
func (s *Summary) usable() bool { return s.ID == "" || s.State.Known() }
