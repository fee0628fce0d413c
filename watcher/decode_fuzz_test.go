package watcher

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const (
	idA   = "0123456789abcdef0123456789abcdef01234567"
	idB   = "89abcdef0123456789abcdef0123456789abcdef"
	nil40 = "0000000000000000000000000000000000000000"
)

func logOf(entries ...string) []byte {
	return []byte("\x01" + idA + " 1700000000 1600000000 a subject\x00" + strings.Join(entries, ""))
}

func FuzzParseLog(f *testing.F) {
	f.Add(logOf())
	f.Add(logOf("\n:100644 100644 "+idA+" "+idB+" M\x00a.go\x00", ":000000 100644 "+nil40+" "+idB+" A\x00b.go\x00"))
	f.Add(append(logOf("\n:100644 000000 "+idA+" "+nil40+" D\x00new\nline\x00"), logOf()...))
	f.Add(logOf("\n:000000 160000 " + nil40 + " " + idB + " A\x00module\x00"))
	f.Add(logOf("\n:100644 100644 " + idA + " " + idB + " M\x00cut"))
	f.Add(logOf("\n:100644 100644 " + idA + " " + idB + " R100\x00old.go\x00new.go\x00"))
	f.Add([]byte("\x01short 1 1 x\x00"))
	f.Add([]byte(":100644 before any commit\x00"))
	f.Add(append(append([]byte("\x01"+idA+" 1 1 "), bytes.Repeat([]byte("long "), 40_000)...), 0))
	f.Fuzz(func(t *testing.T, in []byte) {
		_ = parseLog(bytes.NewReader(in), func(c *Commit) error {
			if len(c.ID) != 40 && len(c.ID) != 64 {
				t.Errorf("id %q", c.ID)
			}
			if len(c.Subject) > maxField || !utf8.ValidString(c.Subject) {
				t.Errorf("subject %q", c.Subject)
			}
			for _, f := range c.Files {
				if p, err := event.NewPath(string(f.Path)); err != nil || p != f.Path {
					t.Errorf("path %q: %v", f.Path, err)
				}
			}
			renamesIn(c)
			return nil
		})
	})
}

func TestParseLog(t *testing.T) {
	in := append(logOf(), logOf("\n:100644 100755 "+idA+" "+idA+" M\x00:a\x01\x00",
		":160000 160000 "+idA+" "+idA+" R100\x00vendor/module\x00modules/module\x00",
		":160000 100644 "+idA+" "+idB+" T\x00was a module\x00")...)
	in = append(in, append(append([]byte("\x01"+idB+" 5 4 "), bytes.Repeat([]byte("long "), 40_000)...), 0)...)
	got := parsed(t, in)
	if len(got) != 3 || len(got[0].Files) != 0 || got[0].Subject != "a subject" || got[0].Time != 1700000000 ||
		got[0].Author != 1600000000 {
		t.Fatalf("got %+v", got)
	}
	if f := got[1].Files; len(f) != 2 || f[0] != (FileChange{'M', idA, idA, "", ":a\x01"}) ||
		f[1] != (FileChange{'A', idB, idA, "", "was a module"}) {
		t.Errorf("files %q", f)
	}
	renamed := parsed(t, logOf("\n:100644 100644 "+idA+" "+idB+" R090\x00old.go\x00new.go\x00"))
	if len(renamed) != 1 || renamed[0].Files[0] != (FileChange{'R', idB, idA, "old.go", "new.go"}) {
		t.Errorf("renamed %+v", renamed)
	}
	if got[2].ID != idB || len(got[2].Subject) != 200_000 {
		t.Errorf("a message of one long line: %.60q", got[2].Subject)
	}
	huge := append(append([]byte("\x01"+idB+" 5 4 "), bytes.Repeat([]byte("long "), maxField)...), 0)
	if got := parsed(t, append(huge, logOf()...)); len(got) != 2 || len(got[0].Subject) > maxField ||
		got[1].Subject != "a subject" {
		t.Errorf("%d commits behind a message of more than a field", len(got))
	}
	for _, bad := range []string{"x\x00", "\x01" + idA + "\x00", ":100644\x00", string(logOf("\n:100644 M\x00a\x00")),
		string(logOf("\n:1 2 3 4 M\x00")),
		string(logOf("\n:1 2 3 4 M\x00cut"))} {
		if err := parseLog(strings.NewReader(bad), func(*Commit) error { return nil }); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func parsed(t *testing.T, in []byte) (out []Commit) {
	t.Helper()
	fault.Check(t, parseLog(bytes.NewReader(in), func(c *Commit) error {
		out = append(out, *c)
		return nil
	}))
	return out
}

func FuzzParseLsFiles(f *testing.F) {
	f.Add([]byte("? new.go\x00H 100644 0123 0\ta.go\x00R 100644 0123 0\ta.go\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, p := range parseLsFiles(in, false) {
			if _, err := event.NewPath(string(p)); err != nil {
				t.Errorf("path %q: %v", p, err)
			}
		}
	})
}
