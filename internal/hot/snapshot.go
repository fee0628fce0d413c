package hot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/codec"
)

// saved is the content of a snapshot. A name that is "" is free.
type saved struct {
	HalfLives uint32 // hash of names and half-lives
	Names     [NounTerm + 1][]string
	Sets      []savedSets // by family and epoch
}

// savedSets has the sets of one family and epoch. Numbers are stored as little-endian bytes,
// because a CBOR element for each would take ten times as long.
type savedSets struct {
	Family  int
	Epoch   int64
	Owners  []byte // uint32 each; none for a global family
	Sizes   []byte // sizes of the owners' sets, uint32 each
	Members []byte // ids of the members of all sets, uint32 each
	Scores  []byte // float64 each
}

// Errors of Restore.
var (
	// ErrHalfLives means that the snapshot was made under other half-lives.
	ErrHalfLives = errors.New("snapshot was made with other half-lives")
	// ErrSnapshot means that the snapshot is damaged, or of another version.
	ErrSnapshot = errors.New("damaged snapshot")
)

// Snapshot encodes the whole store. It must not be called while another goroutine writes to the
// store.
func (s *Store) Snapshot() ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := saved{HalfLives: fingerprint()}
	for noun := range s.names {
		out.Names[noun] = s.names[noun].texts
	}
	for i := range Families {
		for _, k := range slices.Sorted(maps.Keys(s.sets[i])) {
			out.Sets = append(out.Sets, s.sets[i][k].save(i, k))
		}
	}
	return codec.Encode(out)
}

func (s *scores) save(family int, epoch int64) savedSets {
	var all set
	for id, score := range s.global {
		if score != 0 {
			all = append(all, entry{uint32(id), score})
		}
	}
	out := savedSets{Family: family, Epoch: epoch}
	for _, owner := range slices.Sorted(maps.Keys(s.owned)) {
		out.Owners = binary.LittleEndian.AppendUint32(out.Owners, owner)
		out.Sizes = binary.LittleEndian.AppendUint32(out.Sizes, uint32(len(s.owned[owner])))
		all = append(all, s.owned[owner]...)
	}
	for _, e := range all {
		out.Members = binary.LittleEndian.AppendUint32(out.Members, e.id)
		out.Scores = binary.LittleEndian.AppendUint64(out.Scores, math.Float64bits(e.score))
	}
	return out
}

// Restore replaces the content of the store by a snapshot; nil empties the store. After an error
// the store has only a part.
func (s *Store) Restore(data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clear(); data == nil {
		return nil
	}
	var from saved
	if err := codec.Decode(data, &from); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	if from.HalfLives != fingerprint() {
		return ErrHalfLives
	}
	for noun, texts := range from.Names {
		if !s.names[noun].restore(texts) {
			return fmt.Errorf("%w: names", ErrSnapshot)
		}
	}
	for i := range from.Sets {
		if !s.restore(&from.Sets[i]) {
			return fmt.Errorf("%w: sets", ErrSnapshot)
		}
	}
	for _, f := range Families {
		if sc := s.sets[f.index][0]; f.Half == 0 && sc != nil { // for stamps, find the newest of all
			for id, at := range sc.global {
				if at != 0 {
					s.newest[f.index] = append(s.newest[f.index], entry{uint32(id), at})
				}
			}
			s.trimNewest(f)
		}
	}
	return nil
}

// restore reads the sets of one family and epoch. It returns false if they cannot be valid.
func (s *Store) restore(from *savedSets) bool {
	if from.Family < 0 || from.Family >= len(Families) || len(from.Owners) != len(from.Sizes) ||
		len(from.Members)*2 != len(from.Scores) {
		return false
	}
	f := Families[from.Family]
	sc := s.scores(f, from.Epoch)
	next := func(n int) (of set, ok bool) {
		if n < 0 || n > len(from.Members)/4 {
			return nil, false
		}
		of = make(set, n)
		for i := range of {
			e := entry{binary.LittleEndian.Uint32(from.Members[4*i:]),
				math.Float64frombits(binary.LittleEndian.Uint64(from.Scores[8*i:]))}
			if math.IsNaN(e.score) || math.IsInf(e.score, 0) || !s.names[f.Member].has(e.id) || i > 0 && e.id <= of[i-1].id {
				return nil, false
			}
			of[i] = e
		}
		from.Members, from.Scores = from.Members[4*n:], from.Scores[8*n:]
		return of, true
	}
	if f.Global() {
		all, ok := next(len(from.Members) / 4)
		for _, e := range all {
			*sc.member(e.id) = e.score
		}
		return ok && len(from.Owners) == 0
	}
	for ; len(from.Owners) >= 4; from.Owners, from.Sizes = from.Owners[4:], from.Sizes[4:] {
		owner := binary.LittleEndian.Uint32(from.Owners)
		of, ok := next(int(binary.LittleEndian.Uint32(from.Sizes)))
		if !ok || len(of) == 0 || !s.names[f.Owner].has(owner) {
			return false
		}
		sc.owned[owner] = of
	}
	return len(from.Owners) == 0 && len(from.Members) == 0
}
