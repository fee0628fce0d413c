package hot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// Nouns of records that are no names of scores.
const (
	nounFact Noun = iota + NounTerm + 1
	nounMeta
)

// record names a snapshot record: everything about one file, tag, term or fact key.
type record struct {
	noun Noun
	text string
}

// nounLetters begin a record's key.
var nounLetters = [...]byte{NounFile: 'f', NounTag: 't', NounTerm: 'w', nounFact: 'k', nounMeta: 'm'}

func (r record) key() string { return string(nounLetters[r.noun]) + ":" + r.text }

func parseRecord(key string) (record, bool) {
	for n, letter := range nounLetters {
		if letter != 0 && len(key) >= 2 && key[0] == letter && key[1] == ':' {
			return record{Noun(n), key[2:]}, true
		}
	}
	return record{}, false
}

// Record is an encoded part of the store, for the snapshot. Empty Data means that the key is gone. The form is:
// version byte; fingerprint of names and half-lives (4 bytes); scores; owned sets; fields; CRC-32C (4 bytes) of key and
// all before. Integers are varints, scores float64, member names share prefixes with their
// predecessor.
type Record struct {
	Key  string
	Data []byte
}

const recordVersion = 1

// ErrHalfLives means that records were made under other half-lives: replay the log in place of the snapshot.
var ErrHalfLives = errors.New("snapshot was made with other half-lives")

var errRecord = errors.New("damaged snapshot record")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// content is what a record holds.
type content struct {
	scores []score
	sets   []ownedSet
	fields []field // by name
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
	grown   bool // written since the last tick
	members set
}

type field struct{ name, value string }

func (c *content) empty() bool {
	return len(c.scores) == 0 && len(c.sets) == 0 && len(c.fields) == 0
}

// codec encodes and decodes records. Members of sets have their ids in names.
type codec struct {
	fingerprint uint32
	names       *[NounTerm + 1]names
}

// encode appends the record's bytes to buf.
func (c *codec) encode(buf []byte, r record, from *content) []byte {
	start := len(buf)
	buf = append(buf, recordVersion)
	buf = binary.LittleEndian.AppendUint32(buf, c.fingerprint)
	buf = binary.AppendUvarint(buf, uint64(len(from.scores)))
	for _, s := range from.scores {
		buf = append(buf, s.family)
		buf = binary.AppendVarint(buf, s.epoch)
		buf = appendFloat(buf, s.value)
	}
	buf = binary.AppendUvarint(buf, uint64(len(from.sets)))
	var ms []Member
	for _, s := range from.sets {
		flags := s.family << 1
		if s.grown {
			flags |= 1
		}
		buf = append(buf, flags)
		buf = binary.AppendVarint(buf, s.epoch)
		ms = ms[:0]
		for _, e := range s.members {
			ms = append(ms, Member{c.names[Families[s.family].Member].texts[e.id], e.score})
		}
		slices.SortFunc(ms, byName)
		buf = appendMembers(buf, r.text, ms)
	}
	buf = binary.AppendUvarint(buf, uint64(len(from.fields)))
	for _, f := range from.fields {
		buf = appendText(appendText(buf, f.name), f.value)
	}
	return binary.LittleEndian.AppendUint32(buf, checksum(r, buf[start:]))
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
func appendMembers(buf []byte, before string, ms []Member) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(ms)))
	for _, m := range ms {
		n := 0
		for n < len(before) && n < len(m.Name) && before[n] == m.Name[n] {
			n++
		}
		buf = binary.AppendUvarint(buf, uint64(n))
		buf = appendText(buf, m.Name[n:])
		buf = appendFloat(buf, m.Score)
		before = m.Name
	}
	return buf
}

// decoder reads forward; after the first fault every read is zero and bad is set.
type decoder struct {
	codec
	buf  []byte
	name []byte // the last member's
	bad  bool
	c    content // the last record's, whose lists are used again
}

// decode reads a record. It accepts only what encode makes: any other bytes are errRecord, or ErrHalfLives. The
// content is good until the next call; its sets and texts stay.
func (d *decoder) decode(r record, data []byte) (*content, error) {
	if len(data) < 9 || data[0] != recordVersion {
		return nil, fmt.Errorf("%w: version or length", errRecord)
	}
	body, tail := data[:len(data)-4], data[len(data)-4:]
	if checksum(r, body) != binary.LittleEndian.Uint32(tail) {
		return nil, fmt.Errorf("%w: checksum", errRecord)
	}
	if binary.LittleEndian.Uint32(body[1:]) != d.fingerprint {
		return nil, ErrHalfLives
	}
	d.buf, d.bad = body[5:], false
	c := d.content(r)
	if d.bad || len(d.buf) > 0 {
		return nil, fmt.Errorf("%w: content", errRecord)
	}
	return c, nil
}

func (d *decoder) content(r record) *content {
	d.c = content{scores: d.c.scores[:0], sets: d.c.sets[:0], fields: d.c.fields[:0]}
	c := &d.c
	for range d.count(10) {
		c.scores = append(c.scores, score{d.family(d.byte()).index, d.varint(), d.float()})
	}
	for range d.count(3) {
		flags := d.byte()
		f := d.family(flags >> 1)
		s := ownedSet{family: f.index, grown: flags&1 == 1, epoch: d.varint()}
		n := d.count(10)
		s.members = make(set, 0, n)
		d.members(n, r.text, func(name []byte, score float64) {
			s.members = append(s.members, entry{d.names[f.Member].idOf(name), score})
		})
		s.members.sort()
		c.sets = append(c.sets, s)
	}
	for range d.count(2) {
		c.fields = append(c.fields, field{d.text(), d.text()})
	}
	return c
}

// count reads a number of things that take at least size bytes each, so that a damaged count allocates nothing.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.buf)/size) {
		d.fail()
		return 0
	}
	return int(n)
}

// members reads n members; the name is good until the next one.
func (d *decoder) members(n int, before string, fn func(name []byte, score float64)) {
	d.name = append(d.name[:0], before...)
	for range n {
		shared := d.uvarint()
		if shared > uint64(len(d.name)) {
			d.fail()
			return
		}
		d.name = append(d.name[:shared], d.bytes()...)
		if score := d.float(); !d.bad {
			fn(d.name, score)
		}
	}
}

func (d *decoder) fail() { d.bad, d.buf = true, nil }

func (d *decoder) family(i uint8) *Family {
	if int(i) >= len(Families) {
		d.fail()
		return Families[0]
	}
	return Families[i]
}

func (d *decoder) byte() byte {
	if len(d.buf) < 1 {
		d.fail()
		return 0
	}
	b := d.buf[0]
	d.buf = d.buf[1:]
	return b
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.buf)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.buf)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return v
}

func (d *decoder) float() float64 {
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

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.buf)) {
		d.fail()
		return nil
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) text() string { return string(d.bytes()) }
