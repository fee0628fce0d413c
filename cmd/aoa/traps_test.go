package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// traps is a repository whose settings and attributes start programs wherever git allows it. Each
// program leaves a file named after its setting.
type traps struct {
	*sandbox
	sprung  string   // the folder of those files
	spring  string   // the program
	linked  string   // a linked worktree of the repository
	lost    string   // a blob of the history that is not there
	touched int      // how often the files got another time
	hooks   []string // the names of git's hooks

	noStatus bool // git status cannot be run: a filter cannot be switched off
}

// newTraps makes a repository with everything that the traps need, still without their settings:
// files that filters, diff drivers and a submodule apply to, a signed commit, a linked worktree and
// a lost blob.
func newTraps(t *testing.T) *traps {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell commands")
	}
	x := &traps{sandbox: newSandbox(t, 24),
		hooks: []string{"applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit",
			"post-index-change",
			"post-merge", "post-rewrite", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase",
			"prepare-commit-msg", "reference-transaction"}}
	top := filepath.Dir(x.dir)
	x.sprung, x.spring, x.linked = filepath.Join(top, "sprung"), filepath.Join(top, "spring"), filepath.Join(top, "linked")
	x.env = append(slices.DeleteFunc(x.env, func(v string) bool { return strings.HasPrefix(v, "GIT_EDITOR=") }), "MallocNanoZone=0")
	fault.Check(t, errors.Join(os.Mkdir(x.sprung, 0o755),
		os.WriteFile(x.spring, []byte("#!/bin/sh\necho >>'"+x.sprung+"'/$1\n"), 0o755)))

	x.write(".gitattributes", "*.go filter=clean diff=command\n"+
		"*.md filter=clean diff=textconv\n*.odd filter=a=b\nz.* filter=process\n")
	x.write("plain.txt", "plain\n")
	x.write("a.odd", "odd\n")
	x.write("z.last", "git gives up when this filter does\n")
	x.git("add", "-A")
	x.git("commit", "-qm", "files with attributes")
	x.git("repack", "-q") // a second pack beside that of the history: git gc --auto has something to do
	x.write("lost.go", "one\n")
	x.git("add", "-A")
	x.git("commit", "-qm", "attributes")
	x.lost = x.git("rev-parse", "HEAD:lost.go")
	x.git("mv", "lost.go", "found.go") // a search for renames with changes reads both contents
	x.write("found.go", "two\n")
	x.git("commit", "-qam", "a file with another name and content")

	sub := *x.sandbox
	sub.dir = filepath.Join(x.dir, "sub")
	fault.Check(t, os.Mkdir(sub.dir, 0o755))
	sub.git("init", "-q", "-b", "main")
	sub.write("inner.go", "inner\n")
	sub.write(".gitattributes", "*.go filter=inner\n")
	sub.git("add", "-A")
	sub.git("commit", "-qm", "inner")
	x.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n")
	x.git("-c", "advice.addEmbeddedRepo=false", "add", "-A")
	x.git("commit", "-qm", "a submodule")
	x.git("worktree", "add", "-q", x.linked)

	signed := "tree " + x.git("rev-parse", "HEAD^{tree}") + "\nparent " + x.git("rev-parse", "HEAD") +
		"\nauthor A <a@example.com> 1700000000 +0000\ncommitter A <a@example.com> 1700000000 +0000\n" +
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
	fault.Check(t, os.WriteFile(filepath.Join(top, "commit"), []byte(signed), 0o600))
	x.git("update-ref", "HEAD", x.git("hash-object", "-t", "commit", "-w", filepath.Join(top, "commit")))
	return x
}

// settings are the hostile settings. Each value that git runs leaves a file of the name that stands
// behind spring.
func (x *traps) settings() string {
	raw, err := os.ReadFile("../../testdata/traps.gitconfig")
	fault.Check(x, err)
	text := strings.ReplaceAll(string(raw), "SPRING", x.spring)
	for _, verb := range []string{"trap", "status", "log", "diff", "ls-files", "config", "rev-parse", "rev-list",
		"cat-file", "symbolic-ref", "version"} {
		text += fmt.Sprintf("[alias]\n\t%s = \"!%s alias\"\n", verb, x.spring)
	}
	return text
}

// arm puts the settings in place, takes the lost blob away and makes every file look changed, so
// that git has to compare contents. From here on the test runs git itself only to show that a trap
// works.
func (x *traps) arm(settings, format string) {
	x.Helper()
	x.config(filepath.Join(x.dir, ".git", "config"), format+settings)
	x.config(filepath.Join(x.dir, "sub", ".git", "config"),
		"[core]\n\tfsmonitor = "+x.spring+" submodule\n[filter \"inner\"]\n\tclean = \""+x.spring+" submodule-clean; cat\"\n")
	hook := []byte("#!/bin/sh\n" + x.spring + " hook-$(basename $0)\n")
	for _, name := range x.hooks {
		fault.Check(x, os.WriteFile(filepath.Join(x.dir, ".git", "hooks", name), hook, 0o755))
	}
	for _, who := range []string{"gpg", "askpass", "proxy"} { // settings that name a program without arguments
		fault.Check(x, os.WriteFile(x.spring+"-"+who, []byte("#!/bin/sh\n"+x.spring+" "+who+"\n"), 0o755))
	}
	fault.Check(x, os.Remove(filepath.Join(x.dir, ".git", "objects", x.lost[:2], x.lost[2:])))
	x.touch(x.dir)
	x.touch(x.linked)
}

// config appends to a settings file.
func (x *traps) config(name, text string) {
	x.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	fault.Check(x, err)
	_, err = f.WriteString(text)
	fault.Check(x, errors.Join(err, f.Close()))
}

// touch gives every file in a worktree another time.
func (x *traps) touch(dir string) {
	x.Helper()
	x.touched++
	at := time.Now().Add(-time.Duration(x.touched) * 90 * time.Minute)
	fault.Check(x, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Name() == ".git" && e.IsDir():
			return filepath.SkipDir
		case e.Type().IsRegular() && e.Name() != ".git":
			return os.Chtimes(path, at, at)
		}
		return nil
	}))
}

// found returns what the programs left since the last call: who ran, a line for each time.
func (x *traps) found() map[string]string {
	x.Helper()
	names, err := os.ReadDir(x.sprung)
	fault.Check(x, err)
	out := map[string]string{}
	for _, n := range names {
		file := filepath.Join(x.sprung, n.Name())
		by, err := os.ReadFile(file)
		fault.Check(x, errors.Join(err, os.Remove(file)))
		out[n.Name()] = string(by)
	}
	return out
}

// harmless is git with the settings that run anything for the test's own commands switched off.
func (x *traps) harmless(args ...string) string {
	x.Helper()
	return x.git(append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
}

// drive does with the program what people and agents do.
func (x *traps) drive() {
	x.Helper()
	x.must("init", "--yes")
	x.read()
	install := x.do("init", "--yes", "--hooks", "claude")
	x.Logf("init --hooks: exit %d %s", install.code, install.err)
	x.work(x.dir)
	x.work(x.linked)

	// A commit that the daemon sees, one that a rewritten branch loses, and its object gone.
	head := x.harmless("rev-parse", "HEAD")
	gone := x.harmless("commit-tree", "HEAD^{tree}", "-p", head, "-m", "gone")
	x.harmless("update-ref", "HEAD", gone)
	x.do("hook", "git", "post-commit")
	x.until("the commit is learned", func() bool { return strings.Contains(x.must("log", "--kind", "commit"), "gone") })
	x.must("daemon", "stop")
	x.harmless("update-ref", "HEAD", x.harmless("commit-tree", "HEAD^{tree}", "-p", head, "-m", "instead"))
	fault.Check(x, os.Remove(filepath.Join(x.dir, ".git", "objects", gone[:2], gone[2:])))
	x.must("daemon", "start")
	x.until("the other commit is learned", func() bool {
		return strings.Contains(x.must("log", "--kind", "commit"),
			"instead")
	})

	// A save while git holds its lock: the watcher asks git whose it is.
	lock := filepath.Join(x.dir, ".git", "index.lock")
	fault.Check(x, os.WriteFile(lock, nil, 0o600))
	x.write("cmd/main.go", "saved beside git\n")
	fault.Check(x, os.Remove(lock))
	if !x.noStatus { // without git status such a save is left out, with a warning
		x.until("the save is learned", func() bool {
			return strings.Contains(x.must("log", "--kind", "save"), "cmd/main.go")
		})
	}

	for _, args := range [][]string{{"hooks", "status"}, {"hooks", "install", "claude"}, {"hooks", "remove"}, {"doctor"},
		{"reload", "list"}, {"reload", "run", "1"}, {"session", "list"},
		{"forget", "--session", "nobody"}, {"daemon", "stop"}, {"remove", "--yes"}} {
		x.do(args...)
	}
}

// work is what happens in one worktree.
func (x *traps) work(dir string) {
	x.Helper()
	w := *x.sandbox
	w.dir = dir
	w.write("server/wire.go", "edited "+dir)
	hook := func(event, name, value string) string {
		raw, err := json.Marshal(map[string]any{"session_id": "s", "cwd": dir, "hook_event_name": event, name: value})
		fault.Check(x, err)
		return w.doWith(string(raw), "hook", "claude").out
	}
	hook("SessionStart", "source", "startup")
	w.doWith(string(w.hook("UserPromptSubmit", "s", "p", "", "change the protocol of server/wire.go")), "hook", "claude")
	for _, tool := range []string{"Read", "Edit"} {
		w.doWith(string(w.hook("PreToolUse", "s", tool, tool, "server/wire.go")), "hook", "claude")
		w.doWith(string(w.hook("PostToolUse", "s", tool, tool, "server/wire.go")), "hook", "claude")
	}
	hook("PreCompact", "trigger", "auto")
	hook("SessionStart", "source", "compact")
	hook("Stop", "reason", "")
	hook("SessionStart", "source", "startup")
	w.doWith("", "hook", "git", "post-commit")
	w.doWith("", "hook", "git", "post-checkout", "0", "1", "1")
	// Where git cannot be asked for the files, nothing can be suggested.
	if s := w.do("suggest", "server/wire.go"); s.code != 0 || strings.Contains(s.out, "docs/protocol.md") == x.noStatus {
		x.Errorf("suggest in %s: exit %d: %s%s", dir, s.code, s.out, s.err)
	}
	for _, args := range [][]string{{"suggest"}, {"suggest", "--staged"}, {"check", "--staged"},
		{"check", "server/wire.go"},
		{"suggest", "--prompt", "the protocol"}, {"why", "docs/protocol.md", "--with", "server/wire.go"}, {"context"},
		{"context", "--for", "prompt", "-p", "the protocol"},
		{"context", "--json"}, {"status"}, {"status", "--all"}, {"doctor"}, {"stats", "files"}, {"stats", "hints"},
		{"log"}, {"stats", "metrics"}, {"--version"},
		{"stage", "run", "s", "--dep", "server/*.go", "--", "true"},
		{"stage", "run", "s", "--dep", "server/*.go", "--", "true"}, {"stage", "why", "s"}, {"config"},
		{"check", "--backtest"}} {
		w.do(args...)
	}
	w.doWith("{\"cwd\":\""+dir+"\"}", "statusline")
	w.doWith(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"session_context","arguments":{}}}`+"\n", "mcp")
}

// promisor makes the repository a partial clone, whose missing objects git fetches by itself.
const promisor = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"

// TestTraps: nothing that a repository's own settings, attributes and hooks name is run, whatever
// the program does in it.
func TestTraps(t *testing.T) {
	noRace(t)
	t.Parallel()
	for name, arm := range map[string]func(*traps){
		"in an included file, with a folder of hooks": func(x *traps) {
			hooks := filepath.Join(x.dir, "hostile")
			fault.Check(x, os.Mkdir(hooks, 0o755))
			for _, name := range x.hooks {
				fault.Check(x, os.WriteFile(filepath.Join(hooks, name), []byte("#!/bin/sh\n"+x.spring+" hook-"+name+"\n"), 0o755))
			}
			x.write("hostile/settings", x.settings()+"[core]\n\thooksPath = hostile\n")
			x.arm("[include]\n\tpath = ../hostile/settings\n", promisor)
		},
		"in the settings, also of a worktree": func(x *traps) {
			for _, dir := range []string{".git", ".git/worktrees/linked"} {
				fault.Check(x, os.WriteFile(filepath.Join(x.dir, dir, "config.worktree"), []byte(x.settings()), 0o644))
			}
			x.arm(x.settings()+"[extensions]\n\tworktreeConfig = true\n", promisor)
		},
		"in filters that no option can name": func(x *traps) {
			x.arm("[filter \"a=b\"]\n\tclean = \""+x.spring+" odd; cat\"\n", "")
			x.noStatus = true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTraps(t)
			arm(x)
			defer func() {
				found := x.found()
				for _, name := range slices.Sorted(maps.Keys(found)) {
					t.Errorf("%s ran %d times", name, strings.Count(found[name], "\n"))
				}
			}()
			x.drive()
		})
	}
}

// TestTrapsWork: each trap is one that git's own commands run into, so that TestTraps can fail.
func TestTrapsWork(t *testing.T) {
	noRace(t)
	t.Parallel()
	x := newTraps(t)
	x.arm(x.settings()+"[filter \"a=b\"]\n\tclean = \""+x.spring+" odd; cat\"\n", promisor)
	x.write("plain.txt", "edited\n")
	for _, bite := range []struct{ who, command string }{
		{"fsmonitor", "git status"},
		{"clean", "$git status"},
		{"process", "git status"},
		{"odd", "$git diff --quiet"},
		{"submodule", "$git status"},
		{"submodule-clean", "$git status"},
		{"smudge", "rm server/wire.go; git checkout server/wire.go"},
		{"hook-post-index-change", "$git status"},
		{"hook-pre-commit", "$git commit --allow-empty -m x"},
		{"hook-reference-transaction", "$git update-ref refs/heads/other HEAD"},
		{"hook-pre-auto-gc", "$git gc --auto"},
		{"editor", "$git -c core.hooksPath=/dev/null commit --allow-empty"},
		{"diff-external", "git diff plain.txt"},
		{"diff-command", "echo x >server/wire.go; $git diff server/wire.go"},
		{"textconv", "$git log -p -- docs/protocol.md"},
		{"alias", "git trap"},
		{"gpg", "git log -2"},
		{"credential", "printf 'protocol=https\\nhost=x\\n\\n' | git credential fill"},
		{"askpass", "printf 'protocol=https\\nhost=x\\n\\n' | git credential fill"},
		{"ssh", "git cat-file -e " + x.lost},
		{"uploadpack", "git cat-file -e " + x.lost},
		{"ext", "git cat-file -e " + x.lost},
		{"proxy", "git cat-file -e " + x.lost},
	} {
		x.touch(x.dir)
		cmd := x.command("sh", "-c", bite.command)
		cmd.Env = append(cmd.Env, "TERM=dumb", "git=git -c filter.process.process=")
		out, _ := cmd.CombinedOutput() // most of these commands fail: their trap does nothing useful
		found := x.found()
		if _, ok := found[bite.who]; !ok {
			t.Errorf("%s does not run %s, but %v:\n%s", bite.command, bite.who, slices.Sorted(maps.Keys(found)), out)
		}
	}
}
