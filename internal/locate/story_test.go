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

// TestStories plays the stories of testdata/stories.txt. A line with # begins a story, with a user of
// its own. The lines with a tab below another are what comes of it (-update writes them). Names are
// those of repositories.
//
//	create NAME…, adopt NAME, aside NAME   as aoa init does it
//	known NAME          whether this user's aoa init made its store
//	forget NAME         its record goes; whether it was the last, and whether the key is left
//	delete NAME         what stays in its store
//	stores              all that are listed, and those that are lost
//	file NAME PATH…     files in the store of NAME
//	sh COMMAND          in the folder of all repositories
func TestStories(t *testing.T) {
	var u user
	fault.Replies(t, "testdata/stories.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			u = newUser(t)
			return nil
		}
		verb, text, _ := strings.Cut(line, " ")
		came := strings.ReplaceAll(u.play(verb, text, strings.Fields(text)), u.top+string(filepath.Separator), "")
		if came == "" {
			return nil
		}
		return []string{came}
	})
}

// play does what a line says, and returns what comes of it.
func (u user) play(verb, text string, words []string) string {
	var said []string
	switch verb {
	case "create":
		for _, name := range words {
			p, err := locate.Create(u.commonDir(name), u.env)
			if err != nil {
				return u.stranger(err)
			}
			fault.Check(u, os.WriteFile(locate.KeyFile(u.env), nil, 0o600)) // its daemon has made the key
			said = append(said, p.Store+" with the settings of "+u.settingsOf(p))
		}
	case "known":
		return u.stranger(u.find(text).Known())
	case "adopt":
		return u.stranger(u.find(text).Adopt())
	case "aside":
		return fault.Must(u.find(text).SetAside(time.UnixMilli(7)))
	case "forget":
		last := u.find(text).Forget()
		_, key := os.Stat(locate.KeyFile(u.env))
		_, folder := os.Stat(locate.StateFolder(u.env))
		return fmt.Sprintf("last: %v, the key is left: %v, the state folder is left: %v", last, key == nil, folder == nil)
	case "delete":
		others, err := u.find(text).Delete()
		fault.Check(u, err)
		return fmt.Sprint("stay: ", others)
	case "stores":
		found, lost := locate.Stores(u.env)
		for _, p := range found {
			said = append(said, fmt.Sprint(p.Store, " of ", p.CommonDir))
			if p != locate.Find(p.CommonDir, u.env) {
				u.Errorf("%s is listed as %+v", p.Store, p)
			}
		}
		slices.Sort(said)
		return fmt.Sprintf("%q, lost %q", said, lost)
	case "file":
		for _, name := range words[1:] {
			file := filepath.Join(u.find(words[0]).Store, name)
			fault.Write(u, file, "x")
		}
	case "sh":
		cmd := exec.Command("sh", "-c", text)
		cmd.Dir = u.top
		out, err := cmd.CombinedOutput()
		if err != nil {
			u.Fatalf("%s: %v: %s", text, err, out)
		}
		return strings.Join(strings.Fields(string(out)), " ")
	default:
		u.Fatalf("no story has %s", verb)
	}
	return strings.Join(said, ", ")
}

// settingsOf names the repository for which the settings of a store were first made.
func (u user) settingsOf(p locate.Place) string {
	u.Helper()
	raw, err := os.ReadFile(p.Settings())
	if err != nil {
		raw = []byte("# of " + p.Store + "\n")
		fault.Check(u, os.WriteFile(p.Settings(), raw, 0o600))
	}
	return strings.TrimSpace(strings.TrimPrefix(string(raw), "# of "))
}

// stranger says why a store is not used.
func (u user) stranger(err error) string {
	var s *locate.StrangerError
	switch {
	case err == nil:
		return "known"
	case errors.As(err, &s):
		return fmt.Sprintf("a stranger's, of %q", s.Original)
	}
	return err.Error()
}

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
	relative := env(map[string]string{"AOA_STORE": "s", "XDG_STATE_HOME": "state", "HOME": top})
	if p, err := locate.Create(common, relative); !errors.As(err, new(*locate.RelativeError)) || p.Known() == nil {
		t.Errorf("a relative path: %v", err)
	}
	if got := locate.StateFolder(relative); got != filepath.Join(top, ".local", "state", "aoa") {
		t.Errorf("a relative state folder is no folder, as XDG says: %s", got)
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
}
