package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// limited runs a line of a shell under a limit.
func (d *sandbox) limited(limit, stdin, line string) said {
	d.Helper()
	return d.finish(d.command("sh", "-c", "ulimit "+limit+"; "+line), stdin)
}

// harmless checks what a hook left behind: nothing but one JSON object.
func (s said) harmless(t *testing.T, book *fault.Book, limit string) {
	t.Helper()
	if s.code != 0 || s.err != "" || s.out != "" && !json.Valid([]byte(s.out)) {
		t.Errorf("a hook under ulimit %s: exit %d, %q, %q", limit, s.code, s.out, s.err)
		book.Add(fault.Wrong, 1)
		return
	}
	book.Add(fault.Whole, 1)
}

// TestLimits: a hook, and the daemon that it starts, with few open files or short files. Hooks exit
// 0 and are silent but for one JSON object; a command says what is wrong; without the limit
// everything works again.
func TestLimits(t *testing.T) {
	noRace(t)
	t.Parallel()
	for _, c := range []struct {
		limit, refusal string
		learns         bool
	}{
		{limit: "-n 64", learns: true},
		{limit: "-n 20"},                  // enough in some starts, by the order in which files are opened
		{limit: "-n 16", refusal: "open"}, // too many open files, or SQLite cannot open one
		{limit: "-f 0", refusal: "aoa.db"},
		{limit: "-f 100"},
	} {
		t.Run(strings.Trim(c.limit, "-"), func(t *testing.T) {
			d := initialized(t, 16)
			d.must("daemon", "stop")
			book := fault.Open(t, "hooks and a daemon under ulimit "+c.limit)
			s := d.limited(c.limit, "", "exec "+d.bin+" suggest server/wire.go")
			refused := s.code != 0 && strings.Contains(s.err, c.refusal) && strings.Contains(s.err, "hint:")
			if !refused && (s.code != 0 || c.refusal != "") {
				t.Errorf("suggest: exit %d: %s", s.code, s.err)
			}
			hook := func(raw json.RawMessage) {
				d.limited(c.limit, string(raw), "exec "+d.bin+" hook claude").harmless(t, book, c.limit)
			}
			for i := range fault.Rounds() {
				hook(d.hook("PostToolUse", "s", fmt.Sprint("toolu_", i), "Read", "server/wire.go"))
				hook(d.hook("UserPromptSubmit", "s", fmt.Sprint("p", i), "", "the wire of the server waits"))
			}
			if c.learns {
				d.until("what the hooks said is there", func() bool { return len(d.log("--kind", "read")) >= fault.Rounds() })
			}
			d.do("daemon", "stop", "--force")
			d.answers("without the limit")
		})
	}
}

// TestLimitsOfMemory: a Go program that gets no memory dies with the exit code 2, which Claude Code
// takes for a refusal of the tool. The command in the settings of an agent exits 0 all the same.
func TestLimitsOfMemory(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	book := fault.Open(t, "hooks and a daemon under ulimit -v")
	died := false
	for _, megabytes := range []int{100, 400, 1200, 2000} {
		for i := range fault.Size(1, 5*fault.Rounds()) {
			d.do("daemon", "stop")
			limit := fmt.Sprint("-v ", megabytes<<10)
			prompt := string(d.hook("UserPromptSubmit", "s", fmt.Sprint(megabytes, i), "", "the wire of the server waits"))
			died = died || d.limited(limit, prompt, "exec "+d.bin+" hook claude").code != 0
			d.limited(limit, prompt, install.Command(filepath.Dir(d.bin), "claude")).harmless(t, book, limit)
		}
	}
	d.do("daemon", "stop", "--force")
	d.answers("without the limit")
	fault.Same(t, "the program itself died of it", died, true)
}
