package locate_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

func (u user) run(name string, args ...string) {
	u.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = u.top
	if out, err := cmd.CombinedOutput(); err != nil {
		u.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

func (u user) stranger(what, name, original string) {
	u.Helper()
	var s *locate.StrangerError
	if err := u.find(name).Known(); !errors.As(err, &s) || s.Original != original {
		u.Errorf("%s: %v, of %q", what, err, original)
	}
	if _, err := locate.Create(u.commonDir(name), u.env); !errors.As(err, &s) {
		u.Errorf("%s is taken over: %v", what, err)
	}
}

// TestKnown: a store counts where this user's Create has made it, or where its repository was moved
// to.
func TestKnown(t *testing.T) {
	u := newUser(t)
	u.create("first") // so that there is a key
	planted := u.find("planted")
	fault.Check(t, os.MkdirAll(planted.Store, 0o700))
	for name, text := range map[string]string{"id": "x/../../identity\n", "config.yaml": "redis_url: redis://evil\n"} {
		fault.Check(t, os.WriteFile(filepath.Join(planted.Store, name), []byte(text), 0o600))
	}
	u.stranger("a store from an archive", "planted", "")

	first := u.create("a")
	if again := u.create("a"); again != first || first.Known() != nil {
		t.Errorf("a second time: %+v, %+v", first, again)
	}
	u.run("cp", "-r", "a", "copy")
	u.stranger("a copy", "copy", first.Store)
	fault.Check(t, u.find("copy").Adopt())
	copied := u.create("copy")
	if first.Known() != nil || copied.Known() != nil || copied.Settings() == first.Settings() {
		t.Errorf("beside its copy: %v, %v", first.Known(), copied.Known())
	}

	u.run("mv", "a", "moved")
	fault.Check(t, u.find("moved").Known())
	if u.create("moved").Settings() != first.Settings() {
		t.Error("a moved repository has lost its settings")
	}
	u.create("a") // a second clone at the old path
	fault.Check(t, u.find("moved").Known())

	u.run("mv", "state", "lost") // a machine of which only the repositories are restored
	u.stranger("a restored backup", "moved", "")
	p := u.find("moved")
	aside, err := p.SetAside(time.UnixMilli(7))
	fault.Check(t, err)
	fault.Same(t, "its new name", aside, p.Store+".unknown-7")
	fault.Check(t, u.create("moved").Known())
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

// TestForget: the key goes with the last store that needs it, and never while another one may need
// it.
func TestForget(t *testing.T) {
	u := newUser(t)
	forget := func(name string, last bool) {
		t.Helper()
		if got := u.find(name).Forget(); got != last {
			t.Errorf("%s is the last store: %v", name, got)
		}
		if _, err := os.Stat(locate.KeyFile(u.env)); (err != nil) != last {
			t.Errorf("the key after %s: %v", name, err)
		}
	}
	u.create("a")
	u.run("mv", "a", "moved")
	u.create("a")
	forget("a", false) // the one that was moved needs it
	forget("moved", true)
	if _, err := os.Stat(locate.StateFolder(u.env)); err == nil {
		t.Error("the state folder is left")
	}
}

// TestDelete: what aOa did not make stays, whatever it is called and wherever it lies.
func TestDelete(t *testing.T) {
	u := newUser(t)
	outside := filepath.Join(u.top, "outside")
	fault.Check(t, os.Mkdir(outside, 0o700))
	theirs := []string{"aoa.db.backup", "lock/x", "contents"}
	ours := []string{"aoa.db", "aoa.db-wal", "cache.db.damaged-17-wal", "aoa.log", ".aoa-paused-XY.tmp"}
	p := u.create("a")
	for _, name := range append(ours, theirs[:2]...) {
		file := filepath.Join(p.Store, name)
		fault.Check(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)))
	}
	fault.Check(t, os.WriteFile(filepath.Join(outside, "0123456789abcdef"), nil, 0o600))
	fault.Check(t, os.Symlink(outside, filepath.Join(p.Store, "contents")))
	others, err := p.Delete()
	fault.Check(t, err)
	fault.Same(t, "what stays", others, []string{"aoa.db.backup", "contents", "lock"})
	for _, name := range append(theirs, "../../../outside/0123456789abcdef") {
		if _, err := os.Lstat(filepath.Join(p.Store, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range append(ours, "id") {
		if _, err := os.Lstat(filepath.Join(p.Store, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	b := u.create("b")
	fault.Check(t, os.Mkdir(filepath.Join(b.Store, "contents"), 0o700))
	for _, name := range []string{"notes.txt", "0123456789abcdef"} {
		fault.Check(t, os.WriteFile(filepath.Join(b.Store, "contents", name), nil, 0o600))
	}
	others, err = b.Delete()
	fault.Check(t, err)
	fault.Same(t, "what stays beside files of ours", others, []string{"contents/notes.txt"})
	if err := p.Adopt(); err == nil {
		t.Error("a folder with files of others is adopted")
	}

	full := filepath.Join(u.top, "Documents")
	fault.Check(t, os.Mkdir(full, 0o700))
	fault.Check(t, os.WriteFile(filepath.Join(full, "aoa.log"), nil, 0o600))
	var s *locate.StrangerError
	if _, err := locate.Create(u.commonDir("b"), env(map[string]string{"HOME": u.top, "AOA_STORE": full})); !errors.As(err, &s) {
		t.Errorf("a store in a folder that is not empty: %v", err)
	}
}

// TestStores: a store is listed while it is there, with the git dir that it is of; one that is gone
// or on a disk that is not mounted comes back with its folder.
func TestStores(t *testing.T) {
	u := newUser(t)
	one, two := u.create("one"), u.create("two")
	list := func(what string, want ...locate.Place) {
		t.Helper()
		found, _ := locate.Stores(u.env)
		slices.SortFunc(found, func(a, b locate.Place) int { return strings.Compare(a.Store, b.Store) })
		if len(found) != len(want) {
			t.Fatalf("%s: %+v", what, found)
		}
		for i, p := range found {
			if p.Store != want[i].Store || p.CommonDir != want[i].CommonDir || p.Socket != want[i].Socket {
				t.Errorf("%s: %+v, want %+v", what, p, want[i])
			}
		}
	}
	list("two", one, two)
	disk := filepath.Join(u.top, "one")
	fault.Check(t, os.Rename(disk, disk+"-unmounted"))
	list("one is not mounted", two)
	if _, lost := locate.Stores(u.env); !slices.Equal(lost, []string{one.Store}) {
		t.Errorf("lost are %q", lost)
	}
	fault.Check(t, os.Rename(disk+"-unmounted", disk))
	list("it is back", one, two)
	fault.Check(t, os.RemoveAll(one.Store))
	fault.Check(t, os.Mkdir(one.Store, 0o700))
	list("one is a folder of others", two)
	two.Forget()
	list("none")
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
