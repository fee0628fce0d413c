package locate_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// user is someone with a home folder and repositories beside it.
type user struct {
	*testing.T
	top string
	env func(string) string
}

func newUser(t *testing.T) user {
	top := t.TempDir()
	return user{t, top, env(map[string]string{"XDG_STATE_HOME": filepath.Join(top, "state")})}
}

func (u user) commonDir(name string) string { return filepath.Join(u.top, name, ".git") }

func (u user) find(name string) locate.Place { return locate.Find(u.commonDir(name), u.env) }

// create makes the store of a repository, as aoa init does.
func (u user) create(name string) locate.Place {
	u.Helper()
	p := fault.Must(locate.Create(u.commonDir(name), u.env))
	fault.Check(u, os.WriteFile(locate.KeyFile(u.env), nil, 0o600)) // its daemon has made the key
	return p
}

// TestCreateAtOnce: of several that make one store, all know it.
func TestCreateAtOnce(t *testing.T) {
	u := newUser(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			p, err := locate.Create(u.commonDir("a"), u.env)
			if err = errors.Join(err, p.Known()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	records, err := os.ReadDir(filepath.Join(locate.StateFolder(u.env), "stores"))
	if len(records) != 1 || err != nil {
		t.Errorf("records %v, %v", records, err)
	}
}

// TestStrangerMadeMeanwhile: whoever looked before another process made the store does not take it
// for a stranger's.
func TestStrangerMadeMeanwhile(t *testing.T) {
	u := newUser(t)
	before := u.find("a")
	u.create("a")
	if stranger := before.Stranger(); stranger != nil {
		t.Error(stranger)
	}
}

// TestFolderOfOthers: a folder that is not empty is not taken for a store.
func TestFolderOfOthers(t *testing.T) {
	u := newUser(t)
	full := filepath.Join(u.top, "Documents")
	fault.Check(t, errors.Join(os.Mkdir(full, 0o700), os.WriteFile(filepath.Join(full, "aoa.log"), nil, 0o600)))
	var s *locate.StrangerError
	if _, err := locate.Create(u.commonDir("b"), env(map[string]string{"HOME": u.top, "AOA_STORE": full})); !errors.As(err, &s) {
		t.Errorf("a store in a folder that is not empty: %v", err)
	}
	if found, lost := locate.Stores(env(nil)); found != nil || lost != nil {
		t.Errorf("without a home: %v", found)
	}
}

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
