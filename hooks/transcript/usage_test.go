package transcript

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// usagesOf reads a transcript of these lines from a byte on.
func usagesOf(t testing.TB, root, text string, from int64) (found []Usage, done int64) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	done = from
	err := Usages(t.Context(), dir, hooks.Repo{Root: event.Root(root)}, func(context.Context, string) (int64, error) { return from, nil },
		func(_ string, upto int64, part []Usage) error { found, done = append(found, part...), upto; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return found, done
}

func TestUsages(t *testing.T) {
	root := t.TempDir()
	line := func(id, rest string) string {
		return `{"type":"assistant","sessionId":"s","cwd":"` + filepath.ToSlash(root) +
			`","timestamp":"2026-01-31T15:04:05Z","message":{"id":"` + id +
			`","model":"m","usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4}}` + rest + "}\n"
	}
	whole := line("a", "") + "broken \"usage\"\n" + `{"type":"user","message":{"content":"\"usage\""}}` + "\n" +
		line("b", `,"isSidechain":true`) +
		strings.ReplaceAll(line("c", ""), root, "/elsewhere") + strings.ReplaceAll(line("d", ""), `:3`, `:-3`)
	text := whole + strings.TrimSuffix(line("e", ""), "\n")[:40]
	found, done := usagesOf(t, root, text, 0)
	var ids []string
	for _, u := range found {
		ids = append(ids, u.ID)
	}
	if d := cmp.Diff([]string{"a", "b", "d"}, ids); d != "" {
		t.Fatal(d)
	}
	if u := found[0]; u.Session != "s" || u.Side || u.Model != "m" || u.Input != 1 || u.Write != 2 || u.Read != 3 ||
		u.Output != 4 || u.At.Minute() != 4 {
		t.Errorf("read %+v", u)
	}
	if !found[1].Side || found[2].Read != 0 {
		t.Errorf("a subagent's is %+v, one with a negative count %+v", found[1], found[2])
	}
	if done != int64(len(whole)) {
		t.Errorf("read up to %d of %d: the last line is not whole", done, len(whole))
	}
	// It goes on where it stopped; a file that was written anew is read anew.
	if found, _ := usagesOf(t, root, whole+line("e", ""), done); len(found) != 1 || found[0].ID != "e" {
		t.Errorf("later it reads %+v", found)
	}
	if found, _ := usagesOf(t, root, line("z", ""), done); len(found) != 1 {
		t.Errorf("of another file of that name it reads %+v", found)
	}
	if found, done := usagesOf(t, root, strings.Repeat("x", maxLine+10)+"\n"+line("a", ""), 0); len(found) != 1 || done < maxLine {
		t.Errorf("behind a line that is too long it reads %+v", found)
	}
}

func FuzzUsage(f *testing.F) {
	f.Add(`{"type":"assistant","sessionId":"s","timestamp":"2026-01-31T15:04:05Z","message":{"id":"a","model":"m","usage":{"input_tokens":1}}}`)
	f.Add(`{"type":"assistant","message":{"id":1,"usage":[]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		p := places{known: map[string]*index.Locator{}}
		u, ok := p.usage([]byte(line))
		if ok && (u.ID == "" || u.Session == "" || u.Input < 0 || u.Read < 0 || u.Write < 0 || u.Output < 0) {
			t.Fatalf("%q gave %+v", line, u)
		}
	})
}
