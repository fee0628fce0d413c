package index

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// A Reader writes to disk
//
//	magic · version of the format and of extraction · data encoded by encoding/gob
//
// File protects this against damage (package cold encrypts it). The data are the number of
// segments, then for each segment its exported fields and its files, and at the end the files that
// have no words.
const (
	packMagic = "aoa index\n"
	// Raise it when the format changes or Extract finds other words. All files are then read again.
	packVersion = 9
)

// The errors of unpack.
var (
	errPacked    = errors.New("the index on disk is damaged")
	errPackedOld = errors.New("the index on disk is of another version")
)

// version identifies the content of a file when it was read.
type version struct {
	Modified, Size int64    // Unix ns; bytes
	Blob           [20]byte // the id that git gives the content; 0 if the file was not read
}

// keptFile is a file as written to disk, with the version that was indexed.
type keptFile struct {
	Path    event.Path // "" for a file that has been removed
	Version version
}

// packTo writes the index, the version of each file, and the files that have no words.
func (c *Contents) packTo(to io.Writer, versions map[event.Path]version) error {
	c.mu.RLock()
	segments := slices.Clone(c.segments)
	files := make([][]keptFile, len(segments))
	said := map[event.Path]bool{}
	for i, s := range segments {
		files[i] = make([]keptFile, s.size())
		for file, p := range s.paths {
			if v, known := versions[p]; known && !s.isGone(uint32(file)) {
				files[i][file], said[p] = keptFile{p, v}, true
			}
		}
	}
	c.mu.RUnlock()
	var silent []keptFile
	for p, v := range versions {
		if !said[p] {
			silent = append(silent, keptFile{p, v})
		}
	}
	_, err := to.Write(append([]byte(packMagic), packVersion))
	out := gob.NewEncoder(to)
	err = errors.Join(err, out.Encode(len(segments)))
	for i, s := range segments {
		err = errors.Join(err, out.Encode(s), out.Encode(files[i]))
	}
	return errors.Join(err, out.Encode(silent))
}

// valid reports whether a segment read from disk is consistent and has the given number of files.
func (s *segment) valid(files int) bool {
	for f := range fields {
		if len(s.Lengths[f]) != s.size() {
			return false
		}
	}
	return s.size() == files && files <= maxFiles && len(s.ForwardAt) == files+1 && s.Words.valid() && s.Names.valid() &&
		!slices.ContainsFunc(s.Kinds, func(k byte) bool { return FileKind(k) >= kindCount })
}

// unpack reads an index that packTo wrote.
func unpack(packed []byte, files, most int) (*Contents, map[event.Path]version, error) {
	rest, ok := bytes.CutPrefix(packed, []byte(packMagic))
	if !ok || len(rest) == 0 {
		return nil, nil, errPacked
	}
	if rest[0] != packVersion {
		return nil, nil, fmt.Errorf("%w: %d", errPackedOld, rest[0])
	}
	c, versions := newContents(files, most), map[event.Path]version{}
	if err := c.read(gob.NewDecoder(bytes.NewReader(rest[1:])), versions); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	return c, versions, nil
}

// read fills an empty index, and the versions of its files.
func (c *Contents) read(in *gob.Decoder, versions map[event.Path]version) error {
	var segments int
	err := in.Decode(&segments)
	for i := 0; i < segments && err == nil; i++ {
		s, files := &segment{}, []keptFile(nil)
		if err = errors.Join(in.Decode(s), in.Decode(&files)); err == nil && !s.valid(len(files)) {
			err = errors.New("a segment does not fit together")
		}
		if err == nil {
			c.take(s, files, versions)
		}
	}
	var silent []keptFile
	err = errors.Join(err, in.Decode(&silent))
	for _, f := range silent {
		if clean, bad := event.NewPath(string(f.Path)); bad == nil && len(versions) < c.maxFiles {
			versions[clean] = f.Version
		}
	}
	return err
}

// take adds a segment read from disk, with its files. A file that an earlier segment already has is
// marked as gone in this one.
func (c *Contents) take(s *segment, files []keptFile, versions map[event.Path]version) {
	s.gone, s.live = make([]uint64, (len(files)+63)/64), len(files)
	for file, f := range files {
		p, err := event.NewPath(string(f.Path))
		_, twice := versions[p]
		s.paths = append(s.paths, p)
		if err != nil || twice || len(versions) >= c.maxFiles {
			s.gone[file/64] |= 1 << (file % 64)
			s.live--
			continue
		}
		versions[p], c.files[p] = f.Version, position{s, uint32(file)}
		words, _ := pathWords(p)
		c.count(s, file, words)
	}
	if s.live > 0 {
		c.segments = append(c.segments, s)
		c.bytes += s.bytes()
	}
}
