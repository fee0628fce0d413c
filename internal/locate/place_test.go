package locate_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// env is an environment of the given variables.
func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestFind(t *testing.T) {
	top := t.TempDir()
	common, state := filepath.Join(top, ".git"), filepath.Join(top, "state")
	if p := locate.Find(common, env(nil)); p.Store != filepath.Join(common, "aoa") ||
		p.Socket != filepath.Join(p.Store, "sock") && len(p.Socket) <= 100 {
		t.Errorf("without a store: %+v", p)
	}
	store := filepath.Join(state, "aoa", locate.Fingerprint(common))
	fault.Check(t, os.MkdirAll(store, 0o700))
	if p := locate.Find(common, env(map[string]string{"XDG_STATE_HOME": state})); p.Store != store {
		t.Errorf("state folder: %+v", p)
	}
	long := filepath.Join(top, strings.Repeat("l", 90))
	vars := map[string]string{"AOA_STORE": long, "XDG_STATE_HOME": state}
	p, err := locate.Create(common, env(vars))
	if runtime.GOOS == "linux" && p.Socket != fmt.Sprintf("/tmp/aoa-%d/%s", os.Getuid(), locate.Fingerprint(common)) ||
		p.Store != long || err != nil || p.Known() != nil {
		t.Errorf("long path: %+v, %v, %v", p, err, p.Known())
	}
	link := filepath.Join(top, "s")
	fault.Check(t, os.Symlink(long, link))
	vars["AOA_STORE"] = link
	if p := locate.Find(common, env(vars)); p.Known() == nil {
		t.Error("a store behind a symlink is known")
	}
	if os.Getuid() != 0 {
		return // the rest gives a folder away
	}
	fault.Check(t, os.Chown(long, 12345, 12345))
	if p.Known() == nil {
		t.Error("a store of another user is known")
	}
}

func TestCreate(t *testing.T) {
	short, long := t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	p := locate.Find(short, env(nil))
	if err := p.Known(); !errors.Is(err, fs.ErrNotExist) || p.Store != filepath.Join(short, "aoa") {
		t.Errorf("before Create: %+v, %v", p, err)
	}
	if _, err := locate.Create(short, env(nil)); err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("without a home folder: %v", err)
	}
	if _, err := os.Lstat(p.Store); err == nil {
		t.Error("a store that nobody can know is left")
	}
	if p = locate.Find(long, env(nil)); strings.HasPrefix(p.Socket, p.Store) {
		t.Errorf("a socket path of %d bytes lies in the store", len(p.Socket))
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return // the rest needs a folder that cannot be written
	}
	fault.Check(t, os.Chmod(short, 0o500))
	get := env(map[string]string{"XDG_STATE_HOME": t.TempDir()})
	p, err := locate.Create(short, get)
	if err != nil || !strings.HasPrefix(p.Store, locate.StateFolder(get)) {
		t.Errorf("in a folder that cannot be written: %+v, %v", p, err)
	}
	if again := locate.Find(short, get); again.Store != p.Store {
		t.Errorf("created in %s, located in %s", p.Store, again.Store)
	}
}
