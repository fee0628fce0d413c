package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/prefetch"
)

// Widths of a histogram. Four bounds to each doubling: a quantile is off by less than 10 %.
const (
	firstWidth        = 20 * time.Microsecond // upper bound of the first width
	widths            = 64                    // the last one begins at about a second
	widthsPerDoubling = 4.0
	maxCounted        = 10_000 // answers counted; then all counts are halved, so that what is newer weighs more
)

// hookTimes is how long hooks took, from their request to the answer, apart for each kind that was asked there. A hook at
// which three kinds were asked counts for each of the three: its client waited for all of them.
type hookTimes struct {
	mu    sync.Mutex
	kinds map[prefetch.Kind]*histogram
	fresh bool // something was counted since the last save
}

// histogram counts durations by width: width i ends at firstWidth·2^(i/4).
type histogram struct {
	Widths [widths]int64 `json:"widths"`
}

func (p *hookTimes) took(kinds []prefetch.Kind, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range kinds {
		if p.kinds == nil {
			p.kinds = map[prefetch.Kind]*histogram{}
		}
		s := p.kinds[k]
		if s == nil {
			s = &histogram{}
			p.kinds[k] = s
		}
		s.add(d)
		p.fresh = true
	}
}

// of gives the number of hooks counted for a kind and two quantiles of their time.
func (p *hookTimes) of(k prefetch.Kind) (n int64, p50, p99 time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.kinds[k]; s != nil {
		return s.count(), s.quantile(.50), s.quantile(.99)
	}
	return 0, 0, 0
}

func (s *histogram) count() (n int64) {
	for _, c := range s.Widths {
		n += c
	}
	return n
}

func (s *histogram) add(d time.Duration) {
	if s.count() >= maxCounted {
		for i := range s.Widths {
			s.Widths[i] /= 2
		}
	}
	i := 0
	if d > firstWidth {
		i = int(math.Ceil(widthsPerDoubling * math.Log2(float64(d)/float64(firstWidth))))
	}
	s.Widths[min(i, widths-1)]++
}

// quantile is the middle, in logarithms, of the width that holds it; 0 of nothing.
func (s *histogram) quantile(q float64) time.Duration {
	rank := int64(math.Ceil(q * float64(s.count())))
	if rank <= 0 {
		return 0
	}
	for i, c := range s.Widths {
		if rank -= c; rank <= 0 {
			return time.Duration(float64(firstWidth) * math.Exp2((float64(i)-.5)/widthsPerDoubling))
		}
	}
	return 0
}

// hookTimeFile outlives the daemon. It is no part of what is learned: without it, counting starts at zero.
func hookTimeFile(store string) string { return filepath.Join(store, "pace.json") }

// load reads what an earlier daemon has counted. A file that cannot be read is one that is not there.
func (p *hookTimes) load(file string) {
	raw, err := os.ReadFile(file)
	if err != nil || len(raw) > 64<<10 {
		return
	}
	var read map[prefetch.Kind]*histogram
	if json.Unmarshal(raw, &read) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kinds = map[prefetch.Kind]*histogram{}
	for _, k := range prefetch.Kinds() {
		if s := read[k]; s.sound() {
			p.kinds[k] = s
		}
	}
}

// sound reports whether the counts are possible: a file may hold anything.
func (s *histogram) sound() bool {
	if s == nil {
		return false
	}
	for _, c := range s.Widths {
		if c < 0 || c > 2*maxCounted {
			return false
		}
	}
	return true
}

// save writes the counts, if there are new ones, whole or not at all.
func (p *hookTimes) save(file string) error {
	p.mu.Lock()
	raw, err := json.Marshal(p.kinds)
	fresh := p.fresh
	p.fresh = false
	p.mu.Unlock()
	if !fresh || err != nil {
		return err
	}
	if err := cold.Replace(file, raw); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.mu.Lock()
		p.fresh = true // the next save tries again
		p.mu.Unlock()
		return fmt.Errorf("keep the times of hooks: %w", err)
	}
	return nil
}
