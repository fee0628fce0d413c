package index_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBroken: testdata/references.txt has small repositories. "-- FILE --" begins a file, "-- FILE
// => --" what the change makes of it, "-- FILE => NEW --" what it renames it to, "-- FILE => - --"
// that it deletes it. What follows "-- want --" is broken.
func TestBroken(t *testing.T) {
	text, err := os.ReadFile("testdata/references.txt")
	fault.Check(t, err)
	for repo := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		name, body, _ := strings.Cut(repo, "\n")
		if name == "" {
			continue
		}
		held, change, want := map[event.Path][]byte{}, []index.Changed{}, ""
		for part := range strings.SplitSeq("\n"+body, "\n-- ") {
			head, text, _ := strings.Cut(part, " --\n")
			file, to, changes := strings.Cut(head, " =>")
			p, to := event.Path(file), strings.TrimSpace(to)
			switch {
			case file == "":
			case file == "want":
				want = strings.TrimSpace(text)
			case !changes:
				held[p] = []byte(text + "\n")
			default:
				before, after := held[p], []byte(text+"\n")
				delete(held, p)
				switch to {
				case "":
					held[p] = after
				case "-":
					after = nil
				default:
					held[event.Path(to)] = after
					change = append(change, index.Compare(event.Path(to), nil, after))
					after = nil
				}
				change = append(change, index.Compare(p, before, after))
			}
		}
		w := index.World{Tree: index.NewTree(nil), Contents: index.NewContents(),
			Text: func(p event.Path) []byte { return held[p] }}
		for p, text := range held {
			w.Tree.Add(p)
			w.Contents.Set(p, text)
		}
		var got []string
		all, _ := w.BrokenBy(change)
		for _, b := range all {
			got = append(got, fmt.Sprintf("%s:%d: %s", b.File, b.Line, b.Text))
		}
		fault.Same(t, name, strings.Join(got, "\n"), want)
	}
}

// TestLargeFiles: a name that goes from a program of MaxEdited bytes is missed elsewhere, one byte
// more says nothing.
func TestLargeFiles(t *testing.T) {
	use := []byte("package a\n\nfunc f() { drawTerminal() }\n")
	w := index.World{Tree: index.NewTree([]event.Path{"use.go"}), Contents: index.NewContents(),
		Text: func(event.Path) []byte { return use }}
	w.Contents.Set("use.go", use)
	for more, want := range []int{1, 0} {
		was := []byte("package a\n\nfunc drawTerminal() {}\n")
		was = append(was, strings.Repeat("/", index.MaxEdited-len(was)+more)...)
		all, _ := w.BrokenBy([]index.Changed{index.Compare("terminal.go", was, []byte("package a\n"))})
		fault.Same(t, fmt.Sprint(len(was), " bytes"), len(all), want)
	}
}

func FuzzBroken(f *testing.F) {
	f.Add("a.py", []byte("def names(): pass\n"), []byte("from a import (\nnames,\n"))
	f.Add("a.ts", []byte("export function names() {}\n"), []byte("import {\n names\n} from './a'\n${names}"))
	f.Add("a.rs", []byte("pub fn names() {}\n"), []byte("use super::{self,\n names};"))
	f.Add("a.go", []byte("func names() {}\n"), []byte("import (\n\"x/y/v2\"\n) names()"))
	f.Fuzz(func(t *testing.T, name string, def, use []byte) {
		p, err := event.NewPath(name)
		user := event.Path("user" + p.Ext())
		if err != nil || p == user {
			return
		}
		w := index.World{Tree: index.NewTree([]event.Path{user}), Contents: index.NewContents(),
			Text: func(event.Path) []byte { return use }}
		w.Contents.Set(user, use)
		all, _ := w.BrokenBy([]index.Changed{index.Compare(p, append([]byte{}, def...), nil)})
		for _, b := range all {
			if b.File != user || b.Line < 1 || b.Name == "" {
				t.Errorf("%+v", b)
			}
		}
	})
}
