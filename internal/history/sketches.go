package history

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Limits of Sketches, which keep it at some 12 MB.
const (
	MaxSketched = 4000    // number of newest commits that have sketches
	mostHashes  = 2 << 20 // hashes in all sketches together
	// hashes of one commit; without this limit, large commits would leave no room for a new one
	commitHashes = mostHashes / MaxSketched
)

// Sketches tells what the newest commits changed in their files. The zero value has none. It is
// safe for concurrent use.
type Sketches struct {
	mu      sync.RWMutex // guards the fields below
	commits map[uint64][]index.FileSketch
	rare    map[uint32]int32 // by hash: number of sketches that have it
	files   int              // number of sketches
	hashes  int              // number of hashes in all sketches
}

// commitID returns a number for a commit from its id in hexadecimal digits, 0 for anything else.
func commitID(id string) uint64 {
	n, err := strconv.ParseUint(id[:min(len(id), 16)], 16, 64)
	if err != nil {
		return 0
	}
	return n
}

func idOf(n uint64) string { return fmt.Sprintf("%016x", n) }

// Add adds what a commit changed; files is empty for a commit that cannot be read. It returns false
// if there is no room; what was added earlier stays.
func (s *Sketches) Add(id string, files []index.FileSketch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := commitID(id)
	if _, known := s.commits[n]; known || n == 0 {
		return true
	}
	if len(s.commits) >= MaxSketched {
		return false
	}
	files = sampled(files)
	if s.commits == nil {
		s.commits, s.rare = map[uint64][]index.FileSketch{}, map[uint32]int32{}
	}
	s.commits[n] = files
	for _, f := range files {
		s.count(f.Sketch, 1)
	}
	return true
}

// sampled cuts the sketches of a large commit to commitHashes words in all. Each sketch is cut in
// the same proportion, but keeps at least one word. Which words stay is random, because they are
// ordered by their hashes.
func sampled(files []index.FileSketch) []index.FileSketch {
	n := 0
	for _, f := range files {
		n += len(f.Sketch)
	}
	if n <= commitHashes {
		return files
	}
	files = slices.Clone(files)
	for i, f := range files {
		files[i].Sketch = slices.Clone(f.Sketch[:min(len(f.Sketch), max(1, len(f.Sketch)*commitHashes/n))])
	}
	return files
}

// count adds a sketch to the counts (n is 1) or removes it (n is -1). The caller holds s.mu.
func (s *Sketches) count(k index.Sketch, n int32) {
	s.files, s.hashes = s.files+int(n), s.hashes+int(n)*len(k)
	for _, h := range k {
		if s.rare[h] += n; s.rare[h] == 0 {
			delete(s.rare, h)
		}
	}
}

// Has reports whether a commit was read.
func (s *Sketches) Has(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, known := s.commits[commitID(id)]
	return known
}

// Keep drops all commits except these.
func (s *Sketches) Keep(ids []string) {
	keep := make(map[uint64]bool, len(ids))
	for _, id := range ids {
		keep[commitID(id)] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.commits {
		if !keep[id] {
			s.dropFiles(id, func(event.Path) bool { return true })
			delete(s.commits, id)
		}
	}
}

// Forget drops what commits changed in a file, or in the files of a folder.
func (s *Sketches) Forget(p event.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.commits {
		s.dropFiles(id, func(f event.Path) bool { return f.Within(p) })
	}
}

// take returns what a commit changed in files, by index. It drops what the commit changed in other
// files: the log does not have these for the commit, because they are excluded or forgotten.
func (s *Sketches) take(id uint64, files []event.Path) map[int]index.FileSketch {
	if s == nil || id == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.commits[id]
	out, taken := make(map[int]index.FileSketch, len(all)), 0
	for _, k := range all {
		if i := slices.Index(files, k.File); i >= 0 {
			out[i] = k
			taken++
		}
	}
	if taken < len(all) {
		s.dropFiles(id, func(f event.Path) bool { return !slices.Contains(files, f) })
	}
	return out
}

// dropFiles drops what a commit changed in some files. The caller holds s.mu.
func (s *Sketches) dropFiles(id uint64, gone func(event.Path) bool) {
	var kept []index.FileSketch
	for _, k := range s.commits[id] {
		if gone(k.File) {
			s.count(k.Sketch, -1)
		} else {
			kept = append(kept, k)
		}
	}
	s.commits[id] = kept
}

// savedSketches is the form of Sketches on disk.
type savedSketches struct {
	Version int
	Commits map[uint64][]index.FileSketch
}

var errSketch = errors.New("a sketch is not sorted")

// sketchForm must be raised when sketches are made in another way.
const sketchForm = 2

// MarshalBinary encodes all sketches.
func (s *Sketches) MarshalBinary() ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return codec.Encode(savedSketches{sketchForm, s.commits})
}

// UnmarshalBinary adds what MarshalBinary has encoded. Data in another form is ignored as a whole.
// After an error s is unchanged.
func (s *Sketches) UnmarshalBinary(data []byte) error {
	var in savedSketches
	if err := codec.Decode(data, &in); err != nil || in.Version != sketchForm {
		return err
	}
	for _, files := range in.Commits {
		if slices.ContainsFunc(files, func(f index.FileSketch) bool { return !slices.IsSorted(f.Sketch) }) {
			return errSketch
		}
	}
	for id, files := range in.Commits {
		s.Add(idOf(id), files)
	}
	return nil
}
