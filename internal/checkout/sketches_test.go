package checkout

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPending: an answer says that more is being read from the first commit on until what commits
// changed is known, or cannot be known.
func TestPending(t *testing.T) {
	s, c := newSketches(), &history.Commits{}
	fault.Same(t, "without commits", s.pending(c), false)
	c.Add("00000000000000aa", []event.Path{"a.go"}, nil)
	fault.Same(t, "nothing is read", s.pending(c), true)
	known := &history.Commits{Sketches: &s.Sketches}
	s.Add("00000000000000bb", []index.FileSketch{{File: "a.go", Sketch: index.Sketch{1}}})
	known.Add("00000000000000bb", []event.Path{"a.go"}, nil)
	fault.Same(t, "it is known from the disk", s.pending(known), false)
	close(s.read)
	fault.Same(t, "git was asked, and said nothing", s.pending(c), false)
}

// TestWaitForDiffs: a check waits until what commits changed is read, and no longer than it may.
func TestWaitForDiffs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, begin := newSketches(), time.Now()
		s.wait(t.Context(), time.Second)
		fault.Same(t, "nothing is read", time.Since(begin), time.Second)
		time.AfterFunc(time.Minute, func() { close(s.read) })
		s.wait(t.Context(), time.Hour)
		fault.Same(t, "it is read after a minute", time.Since(begin), time.Second+time.Minute)
	})
}
