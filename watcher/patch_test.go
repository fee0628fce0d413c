package watcher

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// sketches reads what commits changed.
func sketches(g *repotest.Repo, ids ...string) (out map[string]map[event.Path]index.Sketch) {
	g.Helper()
	out = map[string]map[event.Path]index.Sketch{}
	var order []string
	fault.Check(g, open(g).Sketches(g.Context(), ids, func(id string, files []index.FileSketch) error {
		order = append(order, id)
		out[id] = map[event.Path]index.Sketch{}
		for _, f := range files {
			out[id][f.File] = f.Sketch
		}
		return nil
	}))
	fault.Same(g, "the commits, in order", strings.Join(order, " "), strings.Join(ids, " "))
	return out
}

// TestSketches: what git says of a commit is what both versions of its files say, whatever their
// names and lines are.
func TestSketches(t *testing.T) {
	g := repotest.New(t)
	g.Git("config", "diff.noprefix", "true")
	g.Git("config", "diff.mnemonicPrefix", "true")
	g.Git("config", "diff.interHunkContext", "9")
	g.Git("config", "diff.context", "9")
	g.Git("config", "color.ui", "always")
	g.Git("config", "log.showSignature", "true")
	was := map[string]string{}
	names := []string{"a.go", "with space.md", "quo\"te.md", "tab\there.md", "na\u00efve.md", "b/x.go", "line\nfeed.md"}
	trap := "+++ b/evil.go\n--- a/evil.go\ndiff --git a/evil.go b/evil.go\n@@ -1 +1 @@ evil\n\x01" + idA + "\n\\ No newline\n"
	var ids []string
	want := map[string]map[event.Path]index.Sketch{}
	for round := range 4 {
		now, changes := map[string]string{}, map[event.Path]index.Sketch{}
		for i, name := range names {
			now[name] = fmt.Sprintf("first of %d\n%sround%d\n", i, trap, round) + strings.Repeat(fmt.Sprintf("more %d\n", i), round)
			if round == 3 && i == 0 {
				now[name] = strings.TrimSuffix(now[name], "\n") // no line feed at the end
			}
			g.Write(name, now[name])
			changes[event.Path(name)] = index.SketchOf([]byte(was[name]), []byte(now[name]))
		}
		g.Write("image.png", fmt.Sprintf("\x00%d", round))
		id := g.Commit("round")
		ids, was, want[id] = append(ids, id), now, changes
	}
	g.Git("rm", "-q", "b/x.go")
	g.Git("mv", "a.go", "renamed.go")
	g.Write("renamed.go", strings.Replace(was["a.go"], "first", "second", 1))
	id := g.Commit("gone and renamed")
	ids = append(ids, id)
	want[id] = map[event.Path]index.Sketch{"b/x.go": index.SketchOf([]byte(was["b/x.go"]), nil),
		"renamed.go": index.SketchOf([]byte(was["a.go"]), []byte(strings.Replace(was["a.go"], "first", "second", 1)))}
	if diff := cmp.Diff(want, sketches(g, ids...)); diff != "" {
		t.Errorf("wanted -, got +:\n%s", diff)
	}
}

// TestPlacesOfCommits: the place of a commit is found again in the file as it is now, by a line
// that the commit added and by the line that git quotes above a hunk.
func TestPlacesOfCommits(t *testing.T) {
	g := repotest.New(t)
	doc := "# Doc\n\n## first\n\nA line.\n\n## second\n\nA line.\n"
	program := "package a\n\nfunc one() {\n\tx := 1\n\tuse(x)\n}\n\nfunc two() {\n\tx := 1\n\tuse(x)\n}\n"
	commit := func(doc, program string) string {
		g.Write("doc.md", doc)
		g.Write("a.go", program)
		return g.Commit("x")
	}
	commit(doc, program)
	id := commit(doc+"A new line.\n", strings.Replace(program, "\tx := 1\n\tuse(x)\n}\n\nfunc two", "\tx := 1\n}\n\nfunc two", 1))
	now := map[event.Path]string{"doc.md": "# Doc\n\n## moved here\n\nA line.\nA new line.\n", "a.go": program}
	want := map[event.Path]string{"doc.md": `doc.md:3 "moved here"`, "a.go": "a.go:3 one"}
	fault.Check(t, open(g).Sketches(t.Context(), []string{id}, func(_ string, files []index.FileSketch) error {
		fault.Same(t, "files", len(files), 2)
		for _, f := range files {
			weights := map[uint32]float64{}
			for _, h := range f.Places {
				weights[h] = 1
			}
			fault.Same(t, "place", index.PlaceOf(f.File, []byte(now[f.File]), weights).After(string(f.File)), want[f.File])
		}
		return nil
	}))
}

// TestSketchesOfDamage: a commit that git cannot read is yielded without files and stops none of the others,
// unless there are many, as in a partial clone. A commit that is not there is passed over.
func TestSketchesOfDamage(t *testing.T) {
	g := repotest.New(t)
	ids := []string{strings.Repeat("1", 40)}
	for i := range mostDamaged + 5 {
		g.Write("a.txt", fmt.Sprintf("word%d\n", i))
		ids = append(ids, g.Commit("x"))
	}
	read := func() (out []string, err error) {
		err = open(g).Sketches(t.Context(), ids, func(id string, files []index.FileSketch) error {
			out = append(out, fmt.Sprint(slices.Index(ids, id), " ", len(files)))
			return nil
		})
		return out, err
	}
	lose := func(i int) {
		blob := g.Git("rev-parse", ids[i]+":a.txt")
		fault.Check(t, os.Remove(filepath.Join(g.Dir, ".git/objects", blob[:2], blob[2:])))
	}
	lose(3)
	got, err := read()
	fault.Check(t, err)
	fault.Same(t, "read", got[:6], []string{"1 1", "2 1", "3 0", "4 0", "5 1", "6 1"})
	for i := 5; i < len(ids); i++ {
		lose(i)
	}
	if got, err = read(); git.ExitCode(err) <= 0 || len(got) != 2+mostDamaged {
		t.Errorf("of a partial clone %q, %v", got, err)
	}
}

func FuzzPatches(f *testing.F) {
	for _, in := range []string{"", "\x01" + idA + "\n\ndiff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@ func\n-old\n+new\n+more\n",
		"\x01a\n@@ -1,999999999999 +1 @@\n", "@@ -x +y @@\n", "+++ b/../../etc\n@@ -0,0 +1 @@\n+x\n", "\x01a\ndiff --git\n--- \"a/\\303\\244\\n\"\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n"} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		p := patches{lines: newPieces(bytes.NewReader(in), '\n', patchLine)}
		check := func(id string, files []index.FileSketch) error {
			for _, k := range files {
				if q, err := event.NewPath(string(k.File)); err != nil || q != k.File {
					t.Errorf("path %q: %v", k.File, err)
				}
			}
			if len(files) > patchFiles {
				t.Errorf("%d files", len(files))
			}
			return nil
		}
		if p.read(check) == nil {
			_ = p.end(check)
		}
	})
}

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
	if f := got[1].Files; len(f) != 2 || f[0] != (FileChange{'M', idA, idA, "", ":a\x01", false}) ||
		f[1] != (FileChange{'A', idB, idA, "", "was a module", false}) {
		t.Errorf("files %+v", f)
	}
	renamed := parsed(t, logOf("\n:100644 100644 "+idA+" "+idB+" R090\x00old.go\x00new.go\x00"))
	if len(renamed) != 1 || renamed[0].Files[0] != (FileChange{'R', idB, idA, "old.go", "new.go", false}) {
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
		string(logOf("\n:1 2 3 4 M\x00")), string(logOf("\n:1 2 3 4 M\x00cut"))} {
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
