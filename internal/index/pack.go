package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/aoa-dev/aoa/internal/event"
)

// What a Reader keeps on disk is
//
//	magic · version of the format and of extraction · the segments · the files that say nothing · SHA-256 of all before
//
// Numbers are uvarints, parts have their length before them. A segment has its dictionaries, kinds, lengths and names as they are in
// memory, and for each file its path, blob id, size and time, a path of no bytes for one that is gone.
const (
	packMagic   = "aoa index\n"
	packVersion = 1 // another one is another format, or Extract finds other words: the files are read again
)

// Errors of unpack.
var (
	errPacked    = errors.New("the index on disk is damaged")
	errPackedOld = errors.New("the index on disk is of another version")
)

// version is what of a file shows that it was written, and what it then says.
type version struct {
	modified, size int64    // Unix ns; bytes
	blob           [20]byte // the id that git gives the content; 0 if the file was not read
}

// packer writes numbers and parts, and keeps the first error.
type packer struct {
	to  io.Writer
	sum hash.Hash
	buf []byte
	err error
}

func (p *packer) write(b []byte) {
	if p.err == nil {
		_, _ = p.sum.Write(b) // never fails
		_, p.err = p.to.Write(b)
	}
}

func (p *packer) number(n uint64) {
	p.buf = binary.AppendUvarint(p.buf[:0], n)
	p.write(p.buf)
}

func (p *packer) part(b []byte) {
	p.number(uint64(len(b)))
	p.write(b)
}

func (p *packer) numbers(list []uint32) {
	b := make([]byte, 0, len(list)+len(list)/4)
	for _, n := range list {
		b = binary.AppendUvarint(b, uint64(n))
	}
	p.part(b)
}

// rising writes numbers that do not fall, as their differences.
func (p *packer) rising(list []uint32) {
	deltas, last := make([]uint32, len(list)), uint32(0)
	for i, n := range list {
		deltas[i], last = n-last, n
	}
	p.numbers(deltas)
}

func (p *packer) dictionary(d *dictionary) {
	p.number(uint64(d.n))
	p.part(d.entries)
	p.rising(d.blocks)
	b := make([]byte, 0, 8*len(d.filter))
	for _, w := range d.filter {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	p.part(b)
}

func (p *packer) file(path event.Path, v version) {
	p.part([]byte(path))
	p.number(uint64(v.modified))
	p.number(uint64(v.size))
	p.write(v.blob[:])
}

// pack writes what the files say, with the version of each, and the files that say nothing.
func (c *Contents) packTo(to io.Writer, versions map[event.Path]version) error {
	p := &packer{to: to, sum: sha256.New()}
	p.write([]byte(packMagic))
	p.number(packVersion)
	c.mu.RLock()
	segments := append([]*segment(nil), c.segments...)
	paths := make([][]event.Path, len(segments)) // of the files that are not gone
	for i, s := range segments {
		paths[i] = make([]event.Path, s.size())
		for file, n := range s.ids {
			if !s.isGone(uint32(file)) {
				paths[i][file] = c.documents[n].path
			}
		}
	}
	c.mu.RUnlock()
	said := map[event.Path]bool{}
	p.number(uint64(len(segments)))
	for i, s := range segments {
		p.part(s.kinds)
		for f := range fields {
			p.numbers(s.lengths[f])
		}
		p.dictionary(&s.words)
		p.dictionary(&s.names)
		p.part(s.forward)
		p.rising(s.forwardAt)
		for _, path := range paths[i] {
			v, known := versions[path]
			if !known {
				path = ""
			}
			p.file(path, v)
			said[path] = true
		}
	}
	silent := 0
	for path := range versions {
		if !said[path] {
			silent++
		}
	}
	p.number(uint64(silent))
	for path, v := range versions {
		if !said[path] {
			p.file(path, v)
		}
	}
	p.write(p.sum.Sum(nil))
	return p.err
}

// unpacker reads what a packer wrote. After the first error everything is empty.
type unpacker struct {
	rest []byte
	err  error
}

func (u *unpacker) fail() {
	u.rest, u.err = nil, errPacked
}

func (u *unpacker) number() uint64 {
	n, ok := uvarint(&u.rest)
	if !ok {
		u.fail()
	}
	return n
}

// count is a number of things that take at least a byte each.
func (u *unpacker) count() int {
	n := u.number()
	if n > uint64(len(u.rest)) {
		u.fail()
		return 0
	}
	return int(n)
}

func (u *unpacker) part() []byte {
	b, ok := cut(&u.rest)
	if !ok {
		u.fail()
	}
	return b[:len(b):len(b)]
}

func (u *unpacker) numbers() (list []uint32) {
	b := u.part()
	list = make([]uint32, 0, len(b))
	for len(b) > 0 {
		n, ok := uvarint(&b)
		if !ok || n > 1<<32-1 {
			u.fail()
			return nil
		}
		list = append(list, uint32(n))
	}
	return append(make([]uint32, 0, len(list)), list...)
}

// rising reads numbers of which none is above most.
func (u *unpacker) rising(most int) []uint32 {
	list, last := u.numbers(), uint64(0)
	for i, delta := range list {
		if last += uint64(delta); last > uint64(most) {
			u.fail()
			return nil
		}
		list[i] = uint32(last)
	}
	return list
}

func (u *unpacker) dictionary() (d dictionary) {
	n := u.number()
	d.entries = u.part()
	d.blocks = u.rising(len(d.entries))
	filter := u.part()
	for len(filter) >= 8 {
		d.filter = append(d.filter, binary.LittleEndian.Uint64(filter))
		filter = filter[8:]
	}
	if !d.valid(n) {
		u.fail()
		return dictionary{}
	}
	return d
}

// valid sets the number of terms, and reports whether all entries can be read and blocks begin where they should.
func (d *dictionary) valid(n uint64) bool {
	c := d.from(0)
	if len(d.blocks) == 0 {
		return n == 0 && len(d.entries) == 0
	}
	for len(c.rest) > 0 {
		at := len(d.entries) - len(c.rest)
		if d.n%blockTerms == 0 {
			if block := d.n / blockTerms; block >= len(d.blocks) || int(d.blocks[block]) != at || c.rest[0] != 0 {
				return false
			}
		}
		if !c.next() {
			return false
		}
		d.n++
	}
	return uint64(d.n) == n && (d.n+blockTerms-1)/blockTerms == len(d.blocks)
}

func (u *unpacker) file() (p event.Path, v version) {
	path := u.part()
	v.modified, v.size = int64(u.number()), int64(u.number())
	if len(u.rest) < len(v.blob) {
		u.fail()
		return "", v
	}
	u.rest = u.rest[copy(v.blob[:], u.rest):]
	if len(path) > 0 {
		clean, err := event.NewPath(string(path))
		if err != nil || string(clean) != string(path) {
			u.fail()
		}
		p = clean
	}
	return p, v
}

// segment reads a segment and the paths and versions of its files.
func (u *unpacker) segment() (s *segment, paths []event.Path, versions []version) {
	s = &segment{kinds: u.part()}
	n := s.size()
	for _, k := range s.kinds {
		if Kind(k) >= kindCount {
			u.fail()
		}
	}
	for f := range fields {
		if s.lengths[f] = u.numbers(); len(s.lengths[f]) != n {
			u.fail()
		}
	}
	s.words, s.names = u.dictionary(), u.dictionary()
	s.forward = u.part()
	if s.forwardAt = u.rising(len(s.forward)); len(s.forwardAt) != n+1 || n > maxFiles {
		u.fail()
	}
	if u.err != nil {
		return s, nil, nil
	}
	s.gone, s.live = make([]uint64, (n+63)/64), n
	for range n {
		p, v := u.file()
		paths, versions = append(paths, p), append(versions, v)
	}
	return s, paths, versions
}

// unpack makes what packTo wrote. The segments keep parts of the bytes.
func unpack(packed []byte, files, most int) (*Contents, map[event.Path]version, error) {
	rest, ok := bytes.CutPrefix(packed, []byte(packMagic))
	if !ok {
		return nil, nil, errPacked
	}
	u := &unpacker{rest: rest}
	if v := u.number(); v != packVersion {
		return nil, nil, fmt.Errorf("%w: %d", errPackedOld, v)
	}
	end := len(packed) - sha256.Size
	if end < len(packMagic) || sha256.Sum256(packed[:end]) != [sha256.Size]byte(packed[end:]) || len(u.rest) < sha256.Size {
		return nil, nil, errPacked
	}
	u.rest = u.rest[:len(u.rest)-sha256.Size]
	return u.contents(files, most)
}

func (u *unpacker) contents(files, most int) (*Contents, map[event.Path]version, error) {
	c, all := newContents(files, most), map[event.Path]version{}
	for range u.count() {
		s, paths, versions := u.segment()
		if u.err != nil {
			break
		}
		for file, p := range paths {
			_, twice := all[p]
			s.ids = append(s.ids, uint32(len(c.documents)))
			if p == "" || twice || len(all) >= files {
				s.gone[file/64] |= 1 << (file % 64)
				s.live--
				s.ids[file] = nobody
				continue
			}
			all[p] = versions[file]
			c.numbers[p] = uint32(len(c.documents))
			c.documents = append(c.documents, document{p, s, uint32(file)})
			words, _ := pathWords(p)
			c.count(s, file, words)
		}
		if s.live > 0 {
			c.segments = append(c.segments, s)
			c.bytes += s.bytes()
		}
	}
	for range u.count() {
		if p, v := u.file(); p != "" && len(all) < files {
			all[p] = v
		}
	}
	if len(u.rest) > 0 {
		u.fail()
	}
	return c, all, u.err
}
