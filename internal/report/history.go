package report

import (
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	past "github.com/aoa-dev/aoa/internal/history"
)

// history holds the commits of existing files, oldest first.
type history struct {
	names   []event.Path
	ids     map[event.Path]int32
	changes []change
	year    time.Time // a year before the newest commit
}

// change is one commit.
type change struct {
	at    time.Time
	files []int32 // the changed files that still exist, by their current names
	many  bool    // the commit has too many files to connect them
}

const (
	year       = 365 * 24 * time.Hour
	manyFiles  = 30      // a commit of more files connects no pairs
	leastBoth  = 3       // commits that the files of a pair must share
	leastShare = .12     // see coupling
	countPairs = 2 << 20 // pairs counted at a time, which takes about 100 MB
)

// newHistory makes a history with the current names of files. Files that are gone are left out.
func newHistory(events []event.Event, files []event.Path) *history {
	h := &history{names: files, ids: make(map[event.Path]int32, len(files))}
	for i, f := range files {
		h.ids[f] = int32(i)
	}
	later := map[event.Path]event.Path{} // the name used in older commits → the current name
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case event.Rename:
			before := map[event.Path]event.Path{}
			for i := range min(len(b.From), len(b.To)) {
				now := today(later, b.To[i])
				if _, exists := h.ids[now]; exists { // otherwise the file was renamed on another branch
					before[b.From[i]] = now
				}
			}
			maps.Copy(later, before)
		case event.Commit:
			h.changes = append(h.changes, h.change(e, b, later))
		}
	}
	slices.Reverse(h.changes)
	if n := len(h.changes); n > 0 {
		h.year = h.changes[n-1].at.Add(-year)
	}
	return h
}

func today(later map[event.Path]event.Path, p event.Path) event.Path {
	if now, renamed := later[p]; renamed {
		return now
	}
	return p
}

func (h *history) change(e event.Event, b event.Commit, later map[event.Path]event.Path) change {
	c := change{at: e.Time, many: len(b.Paths) > manyFiles}
	if !past.Counts(b) { // as in all other counts
		return c
	}
	for _, p := range b.Paths {
		if id, exists := h.ids[today(later, p)]; exists {
			c.files = append(c.files, id)
		}
	}
	slices.Sort(c.files)
	c.files = slices.Compact(c.files)
	return c
}

// commits counts the commits of each file since a time.
func (h *history) commits(since time.Time) []int {
	n := make([]int, len(h.names))
	for _, c := range h.changes {
		if c.at.After(since) {
			for _, f := range c.files {
				n[f]++
			}
		}
	}
	return n
}

func (h *history) name(id int32) string { return h.names[id].Display() }
