package contexts

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// contextFixture makes contexts of a log of its own.
type contextFixture struct {
	*Assembler
	db *cold.DB
}

func newContextFixture(t testing.TB) contextFixture {
	t.Helper()
	now := func() time.Time { return noon.Add(time.Hour) }
	db, err := cold.Open(t.Context(), filepath.Join(t.TempDir(), "aoa.db"), cold.Options{Now: now})
	fault.Check(t, err)
	t.Cleanup(func() { fault.Check(t, db.Close()) })
	return contextFixture{New(Options{DB: db}), db}
}

// log appends events, in batches as the daemon does.
func (r contextFixture) log(t testing.TB, events ...event.Event) {
	t.Helper()
	for batch := range slices.Chunk(events, 500) {
		_, _, err := r.db.Append(t.Context(), batch)
		fault.Check(t, err)
	}
}

func (r contextFixture) context(t testing.TB, q Request) Context {
	t.Helper()
	c, err := r.Assemble(t.Context(), q)
	fault.Check(t, err)
	return c
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
