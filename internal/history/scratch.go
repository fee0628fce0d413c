package history

import (
	"math"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// scratch is memory for one question. The lists up to place are indexed by the numbers of files.
type scratch struct {
	sums   []sums // for one file of the change
	base   []rate
	inside []bool  // the file is in the change
	place  []int32 // 1 + index in found, 0 if the file is not there

	touched []int32 // files whose sums are set
	insides []int32 // files whose inside is set
	based   []int32 // files whose base is set
	found   []best
	ids     []int32 // the numbers of the files in found
}

// sums has what the commits of one file of a change, and of its folder, tell about another file.
type sums struct {
	common, lately, small, sized, folder float64
	both                                 int32 // number of common commits
	seen                                 bool  // the file is in touched
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// scratch returns memory for a question; free it afterwards. The caller holds c.mu.
func (c *Commits) scratch() *scratch {
	s := scratches.Get().(*scratch)
	if n := len(c.files); len(s.sums) < n {
		n += n/4 + 64
		*s = scratch{sums: make([]sums, n), base: make([]rate, n), inside: make([]bool, n), place: make([]int32, n)}
	}
	return s
}

func (s *scratch) free() {
	for _, f := range s.based {
		s.base[f] = rate{}
	}
	for _, f := range s.insides {
		s.inside[f] = false
	}
	for _, f := range s.ids {
		s.place[f] = 0
	}
	clear(s.found) // so that its names can be freed
	s.based, s.insides, s.ids, s.found = s.based[:0], s.insides[:0], s.ids[:0], s.found[:0]
	scratches.Put(s)
}

// companion returns the companion with the number f, a new one if it was not found before. It is
// valid until the next call.
func (s *scratch) companion(f int32, name event.Path) *best {
	if s.place[f] == 0 {
		s.found = append(s.found, best{Companion: Companion{File: name}, z: math.Inf(-1)})
		s.ids = append(s.ids, f)
		s.place[f] = int32(len(s.found))
	}
	return &s.found[s.place[f]-1]
}

// touch returns the sums of a file, and adds it to the files whose sums are set.
func (s *scratch) touch(f int32) *sums {
	x := &s.sums[f]
	if !x.seen {
		x.seen, s.touched = true, append(s.touched, f)
	}
	return x
}

// clear sets all sums to zero again.
func (s *scratch) clear() {
	for _, f := range s.touched {
		s.sums[f] = sums{}
	}
	s.touched = s.touched[:0]
}
