package locate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/fault"
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
	if p := locate.Find(common, env(map[string]string{"XDG_STATE_HOME": state})); p.Store != store || p.Trusted() != nil {
		t.Errorf("state folder: %+v, %v", p, p.Trusted())
	}
	long := filepath.Join(top, strings.Repeat("l", 90))
	fault.Check(t, os.Mkdir(long, 0o700))
	p := locate.Find(common, env(map[string]string{"AOA_STORE": long}))
	if runtime.GOOS == "linux" && p.Socket != fmt.Sprintf("/tmp/aoa-%d/%s", os.Getuid(), locate.Fingerprint(common)) ||
		p.Store != long {
		t.Errorf("long path: %+v", p)
	}
	link := filepath.Join(top, "s")
	fault.Check(t, os.Symlink(long, link))
	if p := locate.Find(common, env(map[string]string{"AOA_STORE": link})); p.Trusted() == nil {
		t.Error("a store behind a symlink is trusted")
	}
	if os.Getuid() != 0 {
		return // the rest gives a folder away
	}
	fault.Check(t, os.Chown(long, 12345, 12345))
	if p.Trusted() == nil {
		t.Error("a store of another user is trusted")
	}
}

func TestCreate(t *testing.T) {
	short, long := t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	p := locate.Find(short, env(nil))
	if p.Exists() || p.Store != filepath.Join(short, "aoa") {
		t.Errorf("before Create: %+v", p)
	}
	if p = locate.Find(long, env(nil)); strings.HasPrefix(p.Socket, p.Store) {
		t.Errorf("a socket path of %d bytes lies in the store", len(p.Socket))
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return // the rest needs a folder that cannot be written
	}
	fault.Check(t, os.Chmod(short, 0o500))
	state := t.TempDir()
	p, err := locate.Create(short, env(map[string]string{"XDG_STATE_HOME": state}))
	if err != nil || !strings.HasPrefix(p.Store, state) {
		t.Errorf("in a folder that cannot be written: %+v, %v", p, err)
	}
	if again := locate.Find(short, env(map[string]string{"XDG_STATE_HOME": state})); again.Store != p.Store {
		t.Errorf("created in %s, located in %s", p.Store, again.Store)
	}
}

// The identity goes with the last store that needs it, and never while one that was not noted may need it.
func TestRemoveStore(t *testing.T) {
	get := env(map[string]string{"XDG_STATE_HOME": t.TempDir()})
	identity := locate.Identity(get)
	add := func(store string) {
		t.Helper()
		fault.Check(t, locate.AddStore(store, get))
		fault.Check(t, os.WriteFile(identity, nil, 0o600))
	}
	add("/a/.git/aoa")
	add("/b/.git/aoa")
	add("/b/.git/aoa")
	if locate.RemoveStore("/a/.git/aoa", get) {
		t.Error("the first of two stores is the last")
	}
	if _, err := os.Stat(identity); err != nil {
		t.Error(err)
	}
	if !locate.RemoveStore("/b/.git/aoa", get) {
		t.Error("the last store is not the last")
	}
	if _, err := os.Stat(locate.StateFolder(get)); err == nil {
		t.Error("the state folder is left")
	}

	fault.Check(t, os.MkdirAll(filepath.Dir(identity), 0o700))
	if err := os.WriteFile(identity, nil, 0o600); err != nil { // brought from elsewhere, with no list of stores
		t.Fatal(err)
	}
	add("/c/.git/aoa")
	if locate.RemoveStore("/c/.git/aoa", get) {
		t.Error("an identity that unknown stores may need is deleted")
	}
}
