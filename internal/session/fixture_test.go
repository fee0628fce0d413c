package session

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contextFixture is a store on a log of its own.
type contextFixture struct {
	*Store
	db   *cold.DB
	dir  string
	seal *cold.Seal
}

func newContextFixture(t testing.TB) contextFixture { return newSealedFixture(t, nil) }

func newSealedFixture(t testing.TB, seal *cold.Seal) contextFixture {
	t.Helper()
	dir := t.TempDir()
	now := func() time.Time { return noon.Add(time.Hour) }
	db, err := cold.Open(t.Context(), filepath.Join(dir, "aoa.db"), cold.Options{Now: now})
	must(t, err)
	r := contextFixture{db: db, dir: dir, seal: seal}
	r.Store = r.another(seal)
	t.Cleanup(func() { must(t, r.o.Blobs.Close()); must(t, db.Close()) })
	return r
}

// another is a store on the same files.
func (r contextFixture) another(seal *cold.Seal) *Store {
	now := func() time.Time { return noon.Add(time.Hour) }
	return New(Options{DB: r.db, Now: now, Blobs: cold.NewBlobs(cold.BlobOptions{Path: r.summaryFile(), Now: now,
		Seal: seal})})
}

func (r contextFixture) summaryFile() string { return filepath.Join(r.dir, "cache.db") }

// log appends events, in batches as the daemon does.
func (r contextFixture) log(t testing.TB, events ...event.Event) {
	t.Helper()
	for batch := range slices.Chunk(events, 500) {
		_, _, err := r.db.Append(t.Context(), batch)
		must(t, err)
	}
}

func (r contextFixture) context(t testing.TB, q Request) Context {
	t.Helper()
	c, err := r.Assemble(t.Context(), q)
	must(t, err)
	return c
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
