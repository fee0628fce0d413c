package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestRemoveBesideHooks: aoa remove beside an agent whose hooks start daemons, and beside another
// aoa init, leaves no store, or the one of that init with at most its own daemon.
func TestRemoveBesideHooks(t *testing.T) {
	t.Parallel()
	d := newSandbox(t, 4)
	book := fault.Open(t, "remove beside hooks and init")
	for round := range fault.Size(2, 2*fault.Rounds()) {
		d.must("init")
		store := d.place().Store
		ctx, end := context.WithCancel(t.Context())
		var agent sync.WaitGroup
		for range 2 {
			agent.Go(func() {
				for ctx.Err() == nil {
					d.doWith(string(d.hook("UserPromptSubmit", "s", "p", "", "repair the wire")), "hook", "claude")
				}
			})
		}
		beside := round%2 == 1
		if beside {
			agent.Go(func() { d.do("init") })
		}
		if s := d.do("remove", "--yes"); s.code != 0 {
			t.Errorf("aoa remove: exit %d: %s", s.code, s.err)
		}
		end()
		agent.Wait()
		if s := d.do("daemon", "stop"); beside {
			d.do("remove", "--yes")
		} else if _, err := os.Lstat(store); !errors.Is(err, os.ErrNotExist) || s.code != exitNoRepo {
			t.Errorf("round %d: a store is left: %v; aoa daemon stop: exit %d: %s", round, err, s.code, s.out)
		}
		if left, _ := filepath.Glob(store + "*"); len(left) > 0 {
			t.Errorf("round %d: %q is left", round, left)
		}
		if conn, err := api.Dial(t.Context(), d.place()); err == nil {
			conn.Close()
			t.Errorf("round %d: a daemon is left", round)
		}
		book.Add(verdict(t), 1)
	}
}
