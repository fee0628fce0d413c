package report

import (
	"maps"
	"slices"
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
	later := map[event.Path]event.Path{} // the name used in older commits → the current name
	today := func(p event.Path) event.Path {
		if now, renamed := later[p]; renamed {
			return now
		}
		return p
	}
	type commit struct {
		at    time.Time
		files []event.Path
	}
	var all []commit
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case event.Rename:
			before := map[event.Path]event.Path{}
			for i := range min(len(b.From), len(b.To)) {
				if now := today(b.To[i]); h.exists[now] { // otherwise the file was renamed on another branch
					before[b.From[i]] = now
				}
			}
			maps.Copy(later, before)
		case event.Commit:
			h.since = e.Time
			if history.Counts(b) { // as in all other counts
				c := commit{at: e.Time}
				for _, p := range b.Paths {
					c.files = append(c.files, today(p))
				}
				all = append(all, c)
			}
		}
	}
	for _, c := range slices.Backward(all) {
		if c.at.After(all[0].at.Add(-year)) {
			h.recent++
		}
		h.Add("", c.files, nil)
	}
	return h
}

func (h *commits) has(p event.Path) bool { return h.exists[p] }
