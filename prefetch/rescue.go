package prefetch

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Rescuer finds the file that a failed access meant.
type Rescuer struct {
	Tree *index.Tree
	// returns the first later name of a file that exists; nil if no renames are known
	Renamed func(event.Path) (event.Path, bool)
}

// found has the reason in words for each rule of the resolver by which a missing path may find a
// file.
var found = map[index.Rung]string{
	index.Base:     " does not exist, this is the tracked file of that name",
	index.Form:     " does not exist, this file has that name in another form",
	index.Spelling: " does not exist, this file has nearly that name",
}

// Rescue returns the one tracked file that was meant by an access to a path that does not exist or
// is a folder, with a reason in words. ok is false if no file or several may be meant, because a
// wrong answer is worse than none. why tells how the access failed. Rescue only looks up names,
// which takes microseconds.
func (r Rescuer) Rescue(wrong event.Path, why event.Failure) (s event.Suggestion, ok bool) {
	if r.Tree == nil || wrong == "" || r.Tree.Has(wrong) {
		return s, false
	}
	f, text := r.meant(wrong, why)
	if f == "" {
		return s, false
	}
	reason := event.Reason{Signal: string(Rescue), Value: 1, Weight: 1, Text: wrong.Display() + text, With: wrong}
	return event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{reason}}, true
}

// meant returns the file that was meant, and the words that follow the wrong path in the reason.
func (r Rescuer) meant(wrong event.Path, why event.Failure) (f event.Path, text string) {
	switch why {
	case event.FailDir:
		f, _ = r.Tree.Entrance(wrong)
		return f, " is a folder"
	case event.FailMissing:
		if r.Renamed != nil {
			if f, ok := r.Renamed(wrong); ok && r.Tree.Has(f) {
				return f, " was renamed"
			}
		}
		f, at := (&index.Locator{Tree: r.Tree}).Find(string(wrong), index.Base, index.Spelling)
		return f, found[at]
	}
	return "", ""
}
