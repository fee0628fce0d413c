package live

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// snapshotVersion is the first byte of a snapshot. What follows are ids and sessions as encoding/gob writes them,
// because paths are bytes that JSON would replace.
const snapshotVersion = 1

// ErrSnapshot means that a snapshot is damaged, or of another version.
var ErrSnapshot = errors.New("damaged snapshot of sessions")

// Snapshot encodes all sessions.
func (l *Sessions) Snapshot() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := bytes.NewBuffer([]byte{snapshotVersion})
	e := gob.NewEncoder(b)
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
	for d := gob.NewDecoder(bytes.NewReader(data[1:])); ; {
		id, s := "", newSession()
		err := d.Decode(&id)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, d.Decode(s)); err != nil {
			return fmt.Errorf("%w: %w", ErrSnapshot, err)
		}
		if !s.Exists() || len(s.First) != len(s.Opened) {
			return fmt.Errorf("%w: content", ErrSnapshot)
		}
		l.sessions[id] = s
		l.follow(id)
	}
}
