package locate_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
			fault.Check(u, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("x"), 0o600)))
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
