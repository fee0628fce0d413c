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
//	magic · version of the format and of extraction · packedIndex encoded by encoding/gob
//
// File protects this against damage (package cold encrypts it). Of a segment only the exported fields
// are written.
const (
	packMagic = "aoa index\n"
	// Raise it when the format changes or Extract finds other words. All files are then read again.
	packVersion = 11
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

// packedIndex is the data of an index.
type packedIndex struct {
	Segments []*segment
	Files    [][]keptFile // the files of each segment
	Silent   []keptFile   // the files that have no words
}

// packTo writes the index, the version of each file, and the files that have no words.
func (c *Contents) packTo(to io.Writer, versions map[event.Path]version) error {
	said := map[event.Path]bool{}
	c.mu.RLock()
	out := packedIndex{Segments: slices.Clone(c.segments)}
	for _, s := range out.Segments {
		files := make([]keptFile, s.size())
		for file, p := range s.paths {
			if v, known := versions[p]; known && !s.isGone(uint32(file)) {
				files[file], said[p] = keptFile{p, v}, true
			}
		}
		out.Files = append(out.Files, files)
	}
	c.mu.RUnlock()
	for p, v := range versions {
		if !said[p] {
			out.Silent = append(out.Silent, keptFile{p, v})
		}
	}
	_, err := to.Write(append([]byte(packMagic), packVersion))
	return errors.Join(err, gob.NewEncoder(to).Encode(out))
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
	var in packedIndex
	if err := gob.NewDecoder(bytes.NewReader(rest[1:])).Decode(&in); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	c, versions := newContents(files, most), map[event.Path]version{}
	for i, s := range in.Segments {
		if i >= len(in.Files) || !s.valid(len(in.Files[i])) {
			return nil, nil, fmt.Errorf("%w: a segment does not fit together", errPacked)
		}
		c.take(s, in.Files[i], versions)
	}
	for _, f := range in.Silent {
		if clean, bad := event.NewPath(string(f.Path)); bad == nil && len(versions) < c.maxFiles {
			versions[clean] = f.Version
		}
	}
	return c, versions, nil
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
