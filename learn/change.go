package learn

import (
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// edits adds the files of an event to the current change of the session. The change counts when it is over: what is being done says
// nothing about what it lacks.
func (f *fold) edits(s *session, e event.Event) {
	if latest := s.lastEdit(); !latest.IsZero() && e.Time.Sub(latest) > editPause {
		f.change(s)
	}
	for _, p := range e.Paths {
		if _, known := s.edits[p]; !known || e.Time.After(s.edits[p]) {
			s.edits[p] = e.Time
		}
		s.hint(p, e.Cause != "")
		if s.write != nil {
			s.write.Edited(p, e.Time)
		}
	}
}

// change counts the session's current change, half of what a commit counts, and begins the next one.
func (f *fold) change(s *session) {
	at, n := s.lastEdit(), len(s.edits)
	files := slices.Sorted(maps.Keys(s.edits))
	for i, p := range files {
		f.changed(p, at, f.sign*editShare*share(n)*s.credit(p))
		for _, q := range files[i+1:] {
			if n <= editMax {
				f.pair(p, q, at, f.sign*editShare*share(n)*min(s.credit(p), s.credit(q)))
			}
		}
	}
	s.endChange()
}

// changed counts a change of a file.
func (f *fold) changed(p event.Path, at time.Time, w float64) {
	f.batch.Add(hot.Changes, "", string(p), at, w)
	f.stamp(hot.Changed, p, at)
}

// share is the weight of each pair in a change of n files: the weights of all pairs of a file add up to 1.
func share(n int) float64 {
	if n <= 1 {
		return 1
	}
	return 1 / float64(n-1)
}

func (f *fold) pair(a, b event.Path, at time.Time, w float64) {
	f.batch.Add(hot.Comod, string(a), string(b), at, w)
	f.batch.Add(hot.Comod, string(b), string(a), at, w)
}

// commit folds a commit. sign is -1 to subtract it.
func (f *fold) commit(e event.Event, sign float64) {
	gone := make(map[event.Path]bool, len(e.Gone))
	for _, p := range e.Gone {
		gone[p] = true
	}
	files := make([]event.Path, 0, len(e.Paths))
	for _, p := range e.Paths {
		if !gone[p] {
			files = append(files, p)
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	n := len(files) + len(gone)
	tells := n <= commitMax && !e.Sweep()
	var topics []string
	if tells && n > 0 {
		topics = e.Topics()
	}
	for _, t := range topics {
		f.batch.Add(hot.TermFreq, "", t, e.Time, sign)
	}
	w := sign * share(n)
	for i, p := range files {
		f.batch.Add(hot.Churn, "", string(p), e.Time, sign)
		if sign > 0 {
			f.batch.Stamp(hot.Committed, string(p), e.Time)
		}
		if !tells {
			continue
		}
		f.batch.Add(hot.Changes, "", string(p), e.Time, w)
		if sign > 0 {
			f.batch.Stamp(hot.Changed, string(p), e.Time)
		}
		for _, q := range files[i+1:] {
			f.pair(p, q, e.Time, w)
		}
		for _, t := range topics {
			f.batch.Add(hot.TermFiles, t, string(p), e.Time, sign/float64(n))
		}
	}
}

// tools remembers the files that tools edited in the last minute.
func (f *fold) tools(e event.Event) {
	s := f.session(toolsID)
	s.begin(f, e.Time)
	for p, t := range s.edits {
		if s.at.Sub(t) > time.Minute {
			delete(s.edits, p)
		}
	}
	for _, p := range e.Paths {
		if e.Time.After(s.edits[p]) {
			s.edits[p] = e.Time
		}
	}
	if s.write == nil {
		return
	}
	s.write.Clear(hot.PartEdits)
	for p, t := range s.edits {
		s.write.Edited(p, t)
	}
}

// untouched returns the saved files that no tool has just edited.
func (f *fold) untouched(e event.Event) []event.Path {
	s := f.session(toolsID)
	var out []event.Path
	for _, p := range e.Paths {
		t, ok := s.edits[p]
		if d := e.Time.Sub(t); ok && d <= saveAfter && d >= -saveBefore {
			continue
		}
		out = append(out, p)
	}
	return out
}
