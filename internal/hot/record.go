package hot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// Nouns of records that are no names of scores.
const (
	nounSession noun = iota + nounTerm + 1
	nounFact
	nounMeta
)

// record names a snapshot record: everything about one file, tag, term, session or fact key.
type record struct {
	noun noun
	text string
}

// nounLetters begin a record's key.
var nounLetters = [...]byte{nounPath: 'f', nounTag: 't', nounTerm: 'w', nounSession: 's', nounFact: 'k', nounMeta: 'm'}

func (r record) key() string { return string(nounLetters[r.noun]) + ":" + r.text }

func parseRecord(key string) (record, bool) {
	for n, letter := range nounLetters {
		if letter != 0 && len(key) >= 2 && key[0] == letter && key[1] == ':' {
			return record{noun(n), key[2:]}, true
		}
	}
	return record{}, false
}

// touch marks a record as changed.
func (s *Store) touch(r record) {
	if s.untracked {
		return
	}
	s.dirty[r] = true
	if s.embedded != nil && r.noun <= nounTerm {
		s.known[r] |= 0
	}
}

// touchSet marks the owner of a set as changed, and that the set may exist.
func (s *Store) touchSet(f *family, owner string) {
	if s.untracked {
		return
	}
	r := record{f.owner, owner}
	s.dirty[r] = true
	if s.embedded != nil {
		s.known[r] |= 1 << f.index
	}
}

// owns reports whether the set may exist.
func (s *Store) owns(f *family, r record) bool { return s.owned(r)>>f.index&1 == 1 }

// owned has a bit for each family of which the record may own sets.
func (s *Store) owned(r record) uint16 {
	if s.embedded == nil {
		return math.MaxUint16
	}
	return s.known[r]
}

// Record is a packed part of the store, for the snapshot. Empty Data says that the key is gone. The form is: version
// byte; fingerprint of names and half-lives (4 bytes); scores; owned sets; fields; sessions' parts; CRC-32C (4 bytes)
// of key and all before. Integers are varints, scores float64, member names share prefixes with their predecessor.
type Record struct {
	Key  string
	Data []byte
}

const recordVersion = 1

// ErrHalfLives says that records were packed under other half-lives: replay the log in place of the snapshot.
var ErrHalfLives = errors.New("snapshot was made with other half-lives")

var errRecord = errors.New("damaged snapshot record")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// content is an unpacked record.
type content struct {
	scores   []score
	sets     []ownedSet
	fields   []field // in order of their names
	parts    [parts][]member
	deadline float64 // sessions: Unix seconds
}

// score is a file's, tag's or term's score in one global set.
type score struct {
	family uint8
	epoch  int64
	value  float64
}

// ownedSet is a set of the file, tag or term.
type ownedSet struct {
	family  uint8
	epoch   int64
	grown   bool     // written since the last trim
	members []member // in order of their names
	raw     []byte   // or, unread: the members as they are packed, and how many
	n       int
}

type field struct{ name, value string }

func (c *content) empty() bool {
	if len(c.scores) > 0 || len(c.sets) > 0 || len(c.fields) > 0 {
		return false
	}
	for _, p := range c.parts {
		if len(p) > 0 {
			return false
		}
	}
	return true
}

// pack appends the record's bytes to buf.
func (c *content) pack(buf []byte, r record, print uint32) []byte {
	start := len(buf)
	buf = append(buf, recordVersion)
	buf = binary.LittleEndian.AppendUint32(buf, print)
	buf = binary.AppendUvarint(buf, uint64(len(c.scores)))
	for _, s := range c.scores {
		buf = append(buf, s.family)
		buf = binary.AppendVarint(buf, s.epoch)
		buf = appendFloat(buf, s.value)
	}
	buf = binary.AppendUvarint(buf, uint64(len(c.sets)))
	for _, s := range c.sets {
		flags := s.family << 1
		if s.grown {
			flags |= 1
		}
		buf = append(buf, flags)
		buf = binary.AppendVarint(buf, s.epoch)
		buf = appendMembers(buf, r.text, s.members)
	}
	buf = binary.AppendUvarint(buf, uint64(len(c.fields)))
	for _, f := range c.fields {
		buf = appendText(appendText(buf, f.name), f.value)
	}
	if r.noun == nounSession {
		buf = appendFloat(buf, c.deadline)
		for _, p := range c.parts {
			buf = appendMembers(buf, "", p)
		}
	}
	sum := checksum(r, buf[start:])
	return binary.LittleEndian.AppendUint32(buf, sum)
}

// checksum covers the key too: a record under another's key is damaged.
func checksum(r record, data []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(r.key()), castagnoli), castagnoli, data)
}

func appendFloat(buf []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(buf, math.Float64bits(f))
}

func appendText(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// appendMembers writes each name as what it shares with the one before (the first: with the owner) and the rest.
func appendMembers(buf []byte, before string, ms []member) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(ms)))
	for _, m := range ms {
		n := 0
		for n < len(before) && n < len(m.name) && before[n] == m.name[n] {
			n++
		}
		buf = binary.AppendUvarint(buf, uint64(n))
		buf = appendText(buf, m.name[n:])
		buf = appendFloat(buf, m.score)
		before = m.name
	}
	return buf
}

// unpack reads a record. It accepts only what pack makes: any other bytes are errRecord, or ErrHalfLives.
func unpack(r record, data []byte, print uint32, families int) (*content, error) {
	return new(unpacker).unpack(r, data, print, families)
}

// unpack is the function unpack; the content is good until the next call.
func (d *unpacker) unpack(r record, data []byte, print uint32, families int) (*content, error) {
	if len(data) < 9 || data[0] != recordVersion {
		return nil, fmt.Errorf("%w: version or length", errRecord)
	}
	body, tail := data[:len(data)-4], data[len(data)-4:]
	if checksum(r, body) != binary.LittleEndian.Uint32(tail) {
		return nil, fmt.Errorf("%w: checksum", errRecord)
	}
	if binary.LittleEndian.Uint32(body[1:]) != print {
		return nil, ErrHalfLives
	}
	d.buf, d.families, d.bad, d.free = body[5:], families, false, d.room[:0]
	c := d.content(r)
	if d.bad || len(d.buf) > 0 {
		return nil, fmt.Errorf("%w: content", errRecord)
	}
	return c, nil
}

// unpacker reads forward; after the first fault every read is zero and bad is set.
type unpacker struct {
	buf      []byte
	families int
	raw      bool   // members of owned sets are only looked through
	name     []byte // the last member's
	bad      bool

	c    content  // the last record's, whose lists are used again
	room []member // for all members of a record
	free []member // what is left of room
}

func (d *unpacker) content(r record) *content {
	d.c = content{scores: d.c.scores[:0], sets: d.c.sets[:0], fields: d.c.fields[:0]}
	c := &d.c
	for range d.count(10) {
		c.scores = append(c.scores, score{d.family(d.byte()), d.varint(), d.float()})
	}
	for range d.count(3) {
		flags := d.byte()
		s := ownedSet{family: d.family(flags >> 1), grown: flags&1 == 1, epoch: d.varint()}
		if d.raw {
			s.raw, s.n = d.skip(r.text)
		} else {
			s.members = d.members(r.text)
		}
		c.sets = append(c.sets, s)
	}
	for range d.count(2) {
		c.fields = append(c.fields, field{d.text(), d.text()})
	}
	if r.noun == nounSession {
		c.deadline = d.float()
		for p := range parts {
			c.parts[p] = d.members("")
		}
	}
	return c
}

// count reads a number of things that take at least size bytes each, so that a damaged count allocates nothing.
func (d *unpacker) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.buf)/size) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *unpacker) members(before string) []member {
	n := d.count(10)
	d.name = append(d.name[:0], before...)
	if cap(d.free) < n {
		d.room = make([]member, 0, max(n, 2*cap(d.room)))
		d.free = d.room
	}
	ms := d.free[:0:n]
	d.free = d.free[n:n]
	for range n {
		shared := d.uvarint()
		if shared > uint64(len(d.name)) {
			d.fail()
			return nil
		}
		d.name = append(d.name[:shared], d.bytes()...)
		ms = append(ms, member{string(d.name), d.float()})
	}
	return ms
}

// skip is members that only looks whether they are sound.
func (d *unpacker) skip(before string) (raw []byte, n int) {
	raw = d.buf
	n = d.count(10)
	length := uint64(len(before))
	for range n {
		shared := d.uvarint()
		if shared > length {
			d.fail()
		}
		length = shared + uint64(len(d.bytes()))
		d.float()
	}
	return raw[:len(raw)-len(d.buf)], n
}

func (d *unpacker) fail() { d.bad, d.buf = true, nil }

func (d *unpacker) family(i uint8) uint8 {
	if int(i) >= d.families {
		d.fail()
		return 0
	}
	return i
}

func (d *unpacker) byte() byte {
	if len(d.buf) < 1 {
		d.fail()
		return 0
	}
	b := d.buf[0]
	d.buf = d.buf[1:]
	return b
}

func (d *unpacker) uvarint() uint64 {
	v, n := binary.Uvarint(d.buf)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return v
}

func (d *unpacker) varint() int64 {
	v, n := binary.Varint(d.buf)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return v
}

func (d *unpacker) float() float64 {
	if len(d.buf) < 8 {
		d.fail()
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(d.buf))
	d.buf = d.buf[8:]
	if math.IsNaN(f) || math.IsInf(f, 0) {
		d.fail()
		return 0
	}
	return f
}

func (d *unpacker) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.buf)) {
		d.fail()
		return nil
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *unpacker) text() string { return string(d.bytes()) }
