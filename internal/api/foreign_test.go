//go:build unix

package api_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLinksAndOtherUsers: a store, a folder or a socket that is a link, or belongs to another user,
// is refused before anything is written to it or read from it.
func TestLinksAndOtherUsers(t *testing.T) {
	p := serve(t, &api.Server{})
	conn, err := api.Dial(t.Context(), p)
	if err != nil {
		t.Fatalf("nothing is refused by itself: %v", err)
	}
	conn.Close()

	for name, to := range map[string]string{"a link to a folder": t.TempDir(), "a link to nothing": "/nowhere",
		"a link to itself": "aoa"} {
		dir := t.TempDir()
		fault.Check(t, os.Symlink(to, filepath.Join(dir, "aoa")))
		if _, err := locate.Create(dir, homeOf(t)); err == nil {
			t.Errorf("%s passes for a store", name)
		}
		if left, _ := os.ReadDir(to); len(left) > 0 {
			t.Errorf("%s: something was written there: %v", name, left)
		}
	}
	if os.Getuid() != 0 {
		return // the rest gives things away
	}
	const stranger = 65534
	refused := func(what, name string) {
		t.Helper()
		fault.Check(t, os.Lchown(name, stranger, stranger))
		_, err := api.Dial(context.Background(), p)
		if err == nil || errors.Is(err, api.ErrNoDaemon) || !strings.Contains(err.Error(), "belongs to user 65534") {
			t.Errorf("%s: %v", what, err)
		}
		fault.Check(t, os.Lchown(name, 0, 0))
	}
	refused("a socket of another user", p.Socket)
	refused("a folder of another user", p.Store)
	aside := p.Socket + "-aside"
	fault.Check(t, errors.Join(os.Rename(p.Socket, aside), os.Symlink(aside, p.Socket)))
	refused("a link that another user put there", p.Socket)
	fault.Check(t, os.Chown(p.Store, stranger, stranger))
	if _, err := locate.Create(filepath.Dir(p.Store), homeOf(t)); err == nil ||
		!strings.Contains(err.Error(), "belongs to user 65534") {
		t.Errorf("a store of another user: %v", err)
	}
}
