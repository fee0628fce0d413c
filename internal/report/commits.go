package report

import (
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
)

// commits has the commits of a repository by the present names of its files.
type commits struct {
	history.Commits
	files  []event.Path // the files that exist
	exists map[event.Path]bool
	since  time.Time // time of the oldest commit
	recent int       // number of commits in the year before the newest one
}

const year = 365 * 24 * time.Hour

// newCommits reads commits and renames, oldest first.
func newCommits(events []event.Event, files []event.Path) *commits {
	h := &commits{files: files, exists: event.PathSet(files)}
	var times []time.Time
	for _, e := range events {
		switch b := e.Body.(type) {
		case event.Rename:
			for i := range min(len(b.From), len(b.To)) {
				if h.exists[b.To[i]] || !h.exists[b.From[i]] { // otherwise the file was renamed on another branch
					h.Rename(b.From[i], b.To[i])
				}
			}
		case event.Commit:
			if h.since.IsZero() {
				h.since = e.Time
			}
			if history.Counts(b) { // as in all other counts
				h.Add("", b.Paths, nil)
				times = append(times, e.Time)
			}
		}
	}
	for _, at := range times {
		if at.After(times[len(times)-1].Add(-year)) {
			h.recent++
		}
	}
	return h
}

func (h *commits) has(p event.Path) bool { return h.exists[p] }
