package watcher

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/aoa-dev/aoa/internal/event"
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
	f.Add([]byte("\x01short 1 1 x\x00"))
	f.Add([]byte(":100644 before any commit\x00"))
	f.Add(append(append([]byte("\x01"+idA+" 1 1 "), bytes.Repeat([]byte("long "), 40_000)...), 0))
	f.Fuzz(func(t *testing.T, in []byte) {
		_ = parseLog(bytes.NewReader(in), func(c *change) error {
			if len(c.sha) != 40 && len(c.sha) != 64 {
				t.Errorf("id %q", c.sha)
			}
			if len(c.subject) > maxSubject {
				t.Errorf("a subject of %d bytes", len(c.subject))
			}
			for _, e := range c.entries {
				if p, err := event.NewPath(string(e.path)); err != nil || p != e.path {
					t.Errorf("path %q: %v", e.path, err)
				}
			}
			moves(c)
			return nil
		})
	})
}

func TestParseLog(t *testing.T) {
	in := append(logOf(), logOf("\n:100644 100755 "+idA+" "+idA+" M\x00:a\x01\x00", ":160000 100644 "+idA+" "+idB+" T\x00was a module\x00")...)
	in = append(in, append(append([]byte("\x01"+idB+" 5 4 "), bytes.Repeat([]byte("long "), 40_000)...), 0)...)
	var got []change
	if err := parseLog(bytes.NewReader(in), func(c *change) error {
		got = append(got, *c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || len(got[0].entries) != 0 || got[0].subject != "a subject" || got[0].time != 1700000000 || got[0].author != 1600000000 {
		t.Fatalf("got %+v", got)
	}
	if e := got[1].entries; len(e) != 2 || e[0] != (entry{'M', "", ":a\x01"}) || e[1] != (entry{'A', idB, "was a module"}) {
		t.Errorf("entries %q", e)
	}
	if got[2].sha != idB || len(got[2].subject) != maxSubject {
		t.Errorf("a message of one long line: %.60q", got[2].subject)
	}
	for _, bad := range []string{"x\x00", "\x01" + idA + "\x00", ":100644\x00", string(logOf("\n:100644 M\x00a\x00")), string(logOf("\n:1 2 3 4 M\x00"))} {
		if err := parseLog(strings.NewReader(bad), func(*change) error { return nil }); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree " + idA + "\nparent " + idB + "\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\n\nsubject\nsecond line\n\nbody\n"))
	f.Add([]byte("tree " + idA + "\ncommitter > > 99999999999999999999 x\nencoding latin1\ngpgsig x\n tree y\n\n\xe4\xf6"))
	f.Add([]byte("tree 01\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := parseCommit(in)
		if err == nil && (c.tree.IsZero() || c.time < 0 || len(c.subject) > maxSubject) {
			t.Errorf("accepted %+v", c)
		}
	})
}

func TestParseCommit(t *testing.T) {
	c, err := parseCommit([]byte("tree " + idA + "\nparent " + idB + "\nauthor A > <a@b> 1600000000 +0100\ncommitter C <c@d> 1700000000 -0100\n" +
		"gpgsig -----BEGIN\n parent of nothing\n\n\n subject  \nsecond line\n\nbody\n"))
	if err != nil || c.tree.String() != idA || len(c.parents) != 1 || c.time != 1700000000 || c.author != 1600000000 || c.subject != " subject second line" {
		t.Errorf("%+v %v", c, err)
	}
}

func FuzzParseTree(f *testing.F) {
	id := strings.Repeat("\x01", 20)
	f.Add([]byte("100644 a.go\x00" + id + "40000 dir\x00" + id + "160000 mod\x00" + id))
	f.Add([]byte("100664 old\x00" + id + "120000 link\x00" + id))
	f.Add([]byte("100644 cut\x00" + id[:19]))
	f.Add([]byte("99 x\x00" + id))
	f.Fuzz(func(t *testing.T, in []byte) {
		entries, err := parseTree(in)
		if err != nil {
			return
		}
		// Hostile trees may be in any order: the comparison still has to end and to yield proper paths.
		d := treeDiff{names: newNames(), load: func(h plumbing.Hash) ([]treeEntry, error) {
			if h == (plumbing.Hash{1}) {
				return entries, nil
			}
			return nil, nil
		}}
		_ = d.compare(plumbing.Hash{}, plumbing.Hash{1}, "", 0)
		_ = d.compare(plumbing.Hash{1}, plumbing.Hash{2}, "", 0)
		for _, e := range d.out {
			if _, err := event.NewPath(string(e.path)); err != nil {
				t.Errorf("path %q: %v", e.path, err)
			}
		}
	})
}

func TestTreesInACircle(t *testing.T) {
	loop := []treeEntry{{modeTree, "d", plumbing.Hash{1}}}
	d := treeDiff{names: newNames(), load: func(h plumbing.Hash) ([]treeEntry, error) {
		if h.IsZero() {
			return nil, nil
		}
		return loop, nil
	}}
	if err := d.compare(plumbing.Hash{}, plumbing.Hash{1}, "", 0); err == nil {
		t.Error("a folder that contains itself was walked to its end")
	}
}

func TestTreeCacheIsBoundedByEntries(t *testing.T) {
	c := newTreeCache(100)
	for i := range 50 {
		c.put(plumbing.Hash{byte(i)}, make([]treeEntry, 9))
	}
	if _, ok := c.get(plumbing.Hash{49}); !ok || c.held > 100 || len(c.byID) != 10 {
		t.Errorf("holds %d entries in %d trees", c.held, len(c.byID))
	}
	if _, ok := c.get(plumbing.Hash{0}); ok {
		t.Error("the oldest tree was kept")
	}
	c.put(plumbing.Hash{99}, make([]treeEntry, 1000))
	if c.held != 0 || c.order.Len() != 0 {
		t.Errorf("a tree larger than the cache left %d entries", c.held)
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("**/a*[!b]?", "x/abc")
	f.Add("a*a*a*a*a*a*a*a*a*b/", strings.Repeat("a", 200))
	f.Add("[[:alpha:]-\\]", "a")
	f.Add("\"quoted\\t\" linguist-generated", "q")
	f.Fuzz(func(t *testing.T, line, path string) {
		if p, ok := parsePattern(line, false); ok {
			p.match(path, event.Path(path).Base(), false)
			p.match(path, event.Path(path).Base(), true)
		}
		if a, ok := parseAttr(line, true); ok {
			a.match(path, event.Path(path).Base(), false)
		}
	})
}

func FuzzParseLsFiles(f *testing.F) {
	f.Add([]byte("? new.go\x00H 100644 0123 0\ta.go\x00R 100644 0123 0\ta.go\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, p := range parseLsFiles(in) {
			if _, err := event.NewPath(string(p)); err != nil {
				t.Errorf("path %q: %v", p, err)
			}
		}
	})
}

func FuzzNormalizeURL(f *testing.F) {
	f.Add("git@github.com:u/r.git")
	f.Add("https://x:y@h:443/")
	f.Fuzz(func(t *testing.T, s string) { NormalizeURL(s) })
}
