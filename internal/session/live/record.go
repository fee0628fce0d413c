package live

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
)

// Record is a session as it is saved. Empty Data means that it is gone. The form is a version byte, the session as
// encoding/gob writes it, because paths are bytes that JSON would replace, and four bytes of CRC-32C of the key and all
// before.
type Record struct {
	Key  string // Prefix and the session
	Data []byte
}

// Prefix begins the keys of records.
const Prefix = "s:"

// recordVersion is the version of the form.
const recordVersion = 1

// ErrRecord means that a record is damaged, or of another version.
var ErrRecord = errors.New("damaged record of a session")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Changed encodes the sessions that changed since the last call, or all of them, in the order of their keys. Whoever
// fails to save them asks for all the next time.
func (l *Sessions) Changed(all bool) ([]Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := l.dirty // what is gone, too
	if all {
		ids = maps.Clone(ids)
		for id := range l.sessions {
			ids[id] = true
		}
	}
	out := make([]Record, 0, len(ids))
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		r := Record{Key: Prefix + id}
		if s := l.sessions[id]; s != nil {
			var err error
			if r, err = encode(id, s); err != nil {
				return nil, fmt.Errorf("save session %q: %w", id, err)
			}
		}
		out = append(out, r)
	}
	l.dirty = map[string]bool{}
	return out, nil
}

// Restore loads records into an empty state, in any number of calls. It fails with ErrRecord at a record that is
// damaged: the log is to be folded again.
func (l *Sessions) Restore(records []Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range records {
		if len(r.Data) == 0 {
			continue // gone
		}
		s, err := decode(r)
		if err != nil {
			return fmt.Errorf("restore %q: %w", r.Key, err)
		}
		id := strings.TrimPrefix(r.Key, Prefix)
		l.sessions[id] = s
		l.follow(id)
	}
	return nil
}

func encode(id string, s *Session) (Record, error) {
	r := Record{Key: Prefix + id}
	b := bytes.NewBuffer([]byte{recordVersion})
	err := gob.NewEncoder(b).Encode(s)
	r.Data = binary.LittleEndian.AppendUint32(b.Bytes(), checksum(r.Key, b.Bytes()))
	return r, err
}

// checksum covers the key, too: a record under another key is damaged.
func checksum(key string, data []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, data)
}

func decode(r Record) (*Session, error) {
	end := len(r.Data) - 4
	if end < 1 || !strings.HasPrefix(r.Key, Prefix) {
		return nil, fmt.Errorf("%w: key or length", ErrRecord)
	}
	if binary.LittleEndian.Uint32(r.Data[end:]) != checksum(r.Key, r.Data[:end]) {
		return nil, fmt.Errorf("%w: checksum", ErrRecord)
	}
	s, b := newSession(), bytes.NewReader(r.Data[1:end])
	err := gob.NewDecoder(b).Decode(s)
	switch {
	case r.Data[0] != recordVersion:
		return nil, fmt.Errorf("%w: another version", ErrRecord)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	case b.Len() > 0 || !s.Exists() || len(s.First) != len(s.Opened):
		return nil, fmt.Errorf("%w: content", ErrRecord)
	}
	return s, nil
}
