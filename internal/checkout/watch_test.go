package checkout

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// saves keeps the files that were saved.
type saves struct {
	folded
	mu    sync.Mutex
	files []event.Path
}

func (s *saves) Add(events ...event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		if e.Kind() == event.KindSave {
			s.files = append(s.files, e.Paths()...)
		}
	}
}

func (s *saves) has(f event.Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.files, f)
}

// TestWatchFollowsSettings: a checkout is watched as the settings say from the moment at which they
// are read again: what is saved right after is seen, and what was saved while nothing was watched
// is not.
func TestWatchFollowsSettings(t *testing.T) {
	const limit = time.Minute
	g := newProject(t).read()
	seen, file := &saves{}, filepath.Join(t.TempDir(), "settings.yaml")
	set := func(key, value string) {
		t.Helper()
		fault.Check(t, config.Set(file, key, value))
		if g.set.Settings != nil {
			fault.Check(t, g.set.Settings.Reload())
		}
	}
	g.set.Settings = nil
	set("watch", "off")
	cfg, _, err := config.Load(nil, file)
	fault.Check(t, err)
	g.set.Settings, g.set.Events, g.set.Now = config.Open(nil, t.TempDir(), file, time.Now, cfg), seen, time.Now
	w := g.set.At(t.Context(), "")
	watched := func(want bool) {
		t.Helper()
		fault.Until(t, limit, "watched or not", func() bool {
			st, on := w.Watching()
			return on == want && (!on || st.Watched > 0)
		})
	}
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = g.set.Run(ctx) })
	defer running.Wait()
	defer end()

	watched(false)
	g.Write("off.go", "new\n")
	fault.Pass(100 * time.Millisecond) // the times of files are behind by up to a tick of the clock
	set("watch", "on")
	g.Write("on.go", "new\n")
	fault.Until(t, limit, "on.go is seen", func() bool { return seen.has("on.go") })
	watched(true)
	set("quiet", "20ms")
	g.Write("quiet.go", "new\n")
	fault.Until(t, limit, "quiet.go is seen", func() bool { return seen.has("quiet.go") })
	set("watch", "off")
	watched(false)
	g.Write("late.go", "new\n")
	fault.Pass(100 * time.Millisecond)
	set("watch", "on")
	g.Write("last.go", "new\n")
	fault.Until(t, limit, "last.go is seen", func() bool { return seen.has("last.go") })
	if seen.has("off.go") || seen.has("late.go") {
		t.Errorf("saved while nothing was watched, and seen: %v", seen.files)
	}
}
