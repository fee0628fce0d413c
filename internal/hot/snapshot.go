package hot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// The snapshot is, after a version byte and the fingerprint of names and half-lives (4 bytes): the latest time; the
// epoch of the last tick of each family; the names of files, tags and terms that anything refers to; and for each
// family the epochs that a reader adds, with their sets. A set names its members and owners by their place among the
// names, each as the difference to the one before. Integers are varints, numbers that cannot be negative unsigned
// ones, floats 8 bytes. It has no checksum: its keeper seals it.
const snapshotVersion = 1

// Errors of Restore.
var (
	// ErrHalfLives means that the snapshot was made under other half-lives.
	ErrHalfLives = errors.New("snapshot was made with other half-lives")
	// ErrAhead means that the snapshot was made while the clock ran ahead: it lacks what had decayed by then.
	ErrAhead = errors.New("snapshot was made while the clock ran ahead")
	// ErrSnapshot means that the snapshot is damaged, or of another version.
	ErrSnapshot = errors.New("damaged snapshot")
)

// Snapshot encodes the whole store as of one moment between two batches. It always succeeds.
func (s *Store) Snapshot() ([]byte, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	e := &encoder{buf: make([]byte, 0, 1<<16)}
	e.buf = binary.LittleEndian.AppendUint32(append(e.buf, snapshotVersion), fingerprint())
	e.float(s.latest)
	for _, f := range Families {
		k, known := s.trimmed[f.Name]
		e.flag(known)
		e.varint(k)
	}
	for noun := NounFile; noun <= NounTerm; noun++ {
		e.names(noun, s.names[noun].texts, s.used(noun))
	}
	epochs := s.live()
	for i, f := range Families {
		e.uvarint(len(epochs[i]))
		for _, k := range epochs[i] {
			e.varint(k)
			e.scores(f, s.sets[i][k], func(owner uint32) bool { return s.grown[ownedKey{f.index, k, owner}] })
		}
	}
	return e.buf, nil
}

// live are by family the epochs that a reader at the latest time adds, and later ones: to a clock that is behind, they
// lie ahead.
func (s *Store) live() [][]int64 {
	out := make([][]int64, len(Families))
	for i, f := range Families {
		oldest := slices.Min(f.Live(s.latest))
		for k := range s.sets[i] {
			if k >= oldest {
				out[i] = append(out[i], k)
			}
		}
		slices.Sort(out[i])
	}
	return out
}

// encoder appends to a snapshot.
type encoder struct {
	buf    []byte
	places [NounTerm + 1][]uint32 // by noun and id: its place among the names that are written
}

func (e *encoder) varint(n int64) { e.buf = binary.AppendVarint(e.buf, n) }
func (e *encoder) uvarint(n int)  { e.buf = binary.AppendUvarint(e.buf, uint64(n)) }
func (e *encoder) float(f float64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(f))
}
func (e *encoder) text(s string) {
	e.uvarint(len(s))
	e.buf = append(e.buf, s...)
}
func (e *encoder) flag(is bool) {
	if is {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
}

// names writes those that are used, in the order of their ids, so that sets keep their order.
func (e *encoder) names(noun Noun, texts []string, used []bool) {
	count := 0
	e.places[noun] = make([]uint32, len(texts))
	for id := range texts {
		e.places[noun][id] = uint32(count)
		if used[id] {
			count++
		}
	}
	e.uvarint(count)
	for id, text := range texts {
		if used[id] {
			e.text(text)
		}
	}
}

// scores writes the sets of one family and epoch.
func (e *encoder) scores(f *Family, sc *scores, grown func(owner uint32) bool) {
	if f.Global() {
		all := set{}
		for id, score := range sc.global {
			if score != 0 {
				all = append(all, entry{uint32(id), score})
			}
		}
		e.set(f.Member, all)
		return
	}
	e.uvarint(len(sc.owned))
	last := uint32(0)
	for _, owner := range slices.Sorted(maps.Keys(sc.owned)) {
		place := e.places[f.Owner][owner]
		e.uvarint(int(place - last))
		last = place
		e.flag(grown(owner))
		e.set(f.Member, sc.owned[owner])
	}
}

func (e *encoder) set(noun Noun, of set) {
	e.uvarint(len(of))
	last := uint32(0)
	for _, m := range of {
		place := e.places[noun][m.id]
		e.uvarint(int(place - last))
		last = place
		e.float(m.score)
	}
}

// Restore replaces what the store holds by a snapshot; nil empties the store. After an error the store holds a part.
func (s *Store) Restore(data []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clear(); data == nil {
		return nil
	}
	if len(data) < 5 || data[0] != snapshotVersion {
		return fmt.Errorf("%w: version or length", ErrSnapshot)
	}
	if binary.LittleEndian.Uint32(data[1:]) != fingerprint() {
		return ErrHalfLives
	}
	d := &decoder{buf: data[5:]}
	s.latest = d.float()
	if s.clock.Ahead(s.latest) {
		return ErrAhead
	}
	for _, f := range Families {
		if known, k := d.flag(), d.varint(); known {
			s.trimmed[f.Name] = k
		}
	}
	for noun := NounFile; noun <= NounTerm; noun++ {
		for range d.count(1) {
			s.names[noun].add(d.text())
		}
	}
	for _, f := range Families {
		for range d.count(2) {
			s.restoreScores(d, f, d.varint())
		}
	}
	for noun, ids := range s.names {
		d.bad = d.bad || len(ids.ids) != len(ids.texts) || noun > 0 && s.names[noun].find("") != noID
	}
	if d.bad || len(d.buf) > 0 {
		return fmt.Errorf("%w: content", ErrSnapshot)
	}
	s.restoreNewest()
	return nil
}

// restoreScores reads the sets of one family and epoch.
func (s *Store) restoreScores(d *decoder, f *Family, epoch int64) {
	members := len(s.names[f.Member].texts)
	if f.Global() {
		for _, m := range d.set(members) {
			*s.scores(f, epoch).member(m.id) = m.score
		}
		return
	}
	owner := uint32(0)
	for range d.count(3) {
		owner = d.place(owner, len(s.names[f.Owner].texts))
		grown := d.flag()
		of := d.set(members)
		if len(of) == 0 {
			d.fail()
			return
		}
		s.scores(f, epoch).owned[owner] = of
		if grown || len(of) > f.Keep {
			s.grown[ownedKey{f.index, epoch, owner}] = true
		}
	}
}

// restoreNewest finds the newest stamps: they are not in the snapshot, they are the newest of all.
func (s *Store) restoreNewest() {
	for i, f := range Families {
		if sc := s.sets[i][0]; f.Half == 0 && sc != nil {
			var all set
			for id, at := range sc.global {
				if at != 0 {
					all = append(all, entry{uint32(id), at})
				}
			}
			for _, m := range Best(s.members(f.Member, all), NewestKept) {
				s.newest[i] = s.newest[i].put(s.names[f.Member].ids[m.Name], m.Score)
			}
		}
	}
}

// decoder reads forward; after the first fault every read is zero and bad is set.
type decoder struct {
	buf []byte
	bad bool
}

func (d *decoder) fail() { d.bad, d.buf = true, nil }

// read takes n bytes.
func (d *decoder) read(n int) []byte {
	if n > len(d.buf) {
		d.fail()
		return make([]byte, min(n, 8))
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) flag() bool { return d.read(1)[0] == 1 }

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.buf)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return v
}

// count reads a number of things that take at least size bytes each, so that a damaged count allocates nothing.
func (d *decoder) count(size int) int {
	v, n := binary.Uvarint(d.buf)
	if n <= 0 || v > uint64((len(d.buf)-n)/size) {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return int(v)
}

func (d *decoder) text() string { return string(d.read(d.count(1))) }

func (d *decoder) float() float64 {
	f := math.Float64frombits(binary.LittleEndian.Uint64(d.read(8)))
	if math.IsNaN(f) || math.IsInf(f, 0) {
		d.fail()
		return 0
	}
	return f
}

// place reads the place of a name behind another one, of so many names.
func (d *decoder) place(last uint32, names int) uint32 {
	v, n := binary.Uvarint(d.buf)
	if n <= 0 || v >= uint64(names) || int(last)+int(v) >= names {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return last + uint32(v)
}

// set reads the members of a set, of so many names, in their order.
func (d *decoder) set(names int) set {
	n := d.count(9)
	of := make(set, 0, n)
	last := uint32(0)
	for i := range n {
		id := d.place(last, names)
		of = append(of, entry{id, d.float()})
		if d.bad || i > 0 && id == last {
			d.fail()
			return nil
		}
		last = id
	}
	return of
}
