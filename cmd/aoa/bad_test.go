package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestHookTakesAnything: whatever an agent sends, the hook exits 0 and says nothing, and what is no payload leaves no
// trace. One good payload before and one after show that the way was open.
func TestHookTakesAnything(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	good := func(id string) {
		t.Helper()
		if s := d.doWith(string(d.hook("PostToolUse", "s", id, "Read", "README.md")), "hook", "claude"); s != (said{}) {
			t.Errorf("a good payload: %+v", s)
		}
		d.until("the good event is learned", func() bool {
			return len(d.log("--kind", "read")) > 0 &&
				d.log("--kind", "read")[0].ID != ""
		})
	}
	good("before")
	before := d.status().Events
	whole := string(d.hook("PostToolUse", "s", "t", "Read", "README.md"))
	for name, stdin := range map[string]string{
		"nothing":           "",
		"a word":            "hello",
		"truncated at once": whole[:20],
		"a list":            `[` + whole + `]`,
		"a number":          `1e999`,
		"20 MB of one word": strings.Repeat("x", 20<<20),
		"20 MB of brackets": strings.Repeat("[", 20<<20),
		"deep objects":      strings.Repeat(`{"a":`, 200_000),
		"no UTF-8":          "{\"session_id\":\"\xff\xfe\",\"hook_event_name\":\"\xff\"}",
		"NULs":              strings.Repeat("\x00", 4096),
		"wrong types":       `{"session_id":{"a":1},"hook_event_name":["PostToolUse"],"tool_input":"x","tool_response":7,"cwd":false}`,
		"an unknown event": `{"session_id":"s","hook_event_name":"Nonsense\n\u001b[2J","cwd":"` + filepath.ToSlash(d.dir) +
			`"}`,
		"outside":     string(bytes.ReplaceAll([]byte(whole), []byte("README.md"), []byte("../../etc/passwd"))),
		"inside .git": string(bytes.ReplaceAll([]byte(whole), []byte("README.md"), []byte(".git/config"))),
		"a very long name": string(bytes.ReplaceAll([]byte(whole), []byte("README.md"),
			bytes.Repeat([]byte("long/"), 5000))),
		"20 MB in one field": strings.Replace(whole, `"Read"`, `"`+strings.Repeat("y", 20<<20)+`"`, 1),
	} {
		if s := d.doWith(stdin, "hook", "claude"); s != (said{}) {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for _, agent := range [][]string{{}, {"emacs"}, {"claude\n"}, {""}, {"git", "no-such-hook"}, {"codex", "--what"}} {
		if s := d.doWith(`{"nonsense":1}`, append([]string{"hook"}, agent...)...); s != (said{}) {
			t.Errorf("hook %q: %+v", agent, s)
		}
	}
	good("after")
	if n := d.status().Events; n < before+1 || n > before+2 {
		t.Errorf("%d events, then %d: want the good one, and at most the call of a tool with a long name", before, n)
	}
}

// TestBrokenHead: without a HEAD that can be read there is no new history, but what was learned still answers.
func TestBrokenHead(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	head := filepath.Join(d.dir, ".git", "HEAD")
	whole, err := os.ReadFile(head)
	fault.Check(t, err)
	for _, text := range []string{"ref: refs/heads/none/such\n", "nonsense\n", ""} {
		fault.Check(t, os.WriteFile(head, []byte(text), 0o644))
		t.Logf("HEAD %q: %s", text, d.do("status").err)
		for range 2 { // with the daemon that saw it happen, and with a new one
			s := d.do("suggest", "server/wire.go")
			if s.code != 0 || !strings.Contains(s.out, "docs/protocol.md") {
				t.Errorf("HEAD %q: exit %d\n%s%s", text, s.code, s.out, s.err)
			}
			d.must("daemon", "stop")
		}
	}
	fault.Check(t, os.WriteFile(head, whole, 0o644))
	d.must("init")
	if st := d.status(); st.Commits != 16 || st.Import.State != "done" {
		t.Errorf("mended: %d commits, %+v", st.Commits, st.Import)
	}
}
