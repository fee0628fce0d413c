package git

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// traps is a repository whose settings, attributes and hooks start programs wherever git allows it.
// Each program leaves a file named after its setting.
type traps struct {
	*repotest.Repo
	sprung  string // the folder of those files
	spring  string // the program
	linked  string // a linked worktree of the repository
	lost    string // a blob of the history that is not there
	touched int    // how often the files got another time
}

// hooks are the names of git's hooks.
var hooks = strings.Fields(`applypatch-msg commit-msg fsmonitor-watchman post-checkout post-commit post-index-change
	post-merge post-rewrite pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg
	reference-transaction`)

// promisor makes the repository a partial clone, whose missing objects git fetches by itself.
const promisor = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"

// newTraps makes a repository with everything that the traps need, still without their settings:
// files that filters, diff drivers and a submodule apply to, a signed commit, a linked worktree and
// a lost blob.
func newTraps(t *testing.T) *traps {
	t.Helper()
	if runtime.GOOS == "windows" || testing.Short() {
		t.Skip("the traps are shell commands, and nothing for the race detector")
	}
	x := &traps{Repo: repotest.New(t)}
	top := filepath.Dir(x.Dir)
	x.sprung, x.spring, x.linked = filepath.Join(top, "sprung"), filepath.Join(top, "spring"), filepath.Join(top, "linked")
	x.Env = slices.DeleteFunc(x.Env, func(v string) bool { return strings.HasPrefix(v, "GIT_EDITOR=") })
	fault.Check(t, errors.Join(os.Mkdir(x.sprung, 0o755),
		os.WriteFile(x.spring, []byte("#!/bin/sh\necho >>'"+x.sprung+"'/$1\n"), 0o755)))
	for _, who := range []string{"gpg", "askpass", "proxy"} { // settings that name a program without arguments
		fault.Check(t, os.WriteFile(x.spring+"-"+who, []byte("#!/bin/sh\n"+x.spring+" "+who+"\n"), 0o755))
	}
	x.Write(".gitattributes", "*.go filter=clean diff=command\n*.md filter=clean diff=textconv\n"+
		"*.odd filter=a=b\nz.* filter=process\n")
	x.Save("first",
		"wire.go", "package wire\n", "protocol.md", "of the wire\n", "plain.txt", "plain\n", "a.odd", "odd\n",
		"z.last", "git gives up when this filter does\n")
	x.Git("tag", "begin")
	x.Git("repack", "-q")
	x.Save("second", "protocol.md", "of the wire and more\n")
	x.Git("repack", "-q") // a second pack: git gc --auto has something to do
	x.Save("third", "lost.go", "one\n")
	x.lost = x.Git("rev-parse", "HEAD:lost.go")
	x.Git("mv", "lost.go", "found.go") // a search for renames with changes reads both contents
	x.Save("a file with another name and content", "found.go", "two\n")

	sub := x.At(x.Path("sub"))
	fault.Check(t, os.Mkdir(sub.Dir, 0o755))
	sub.Git("init", "-q", "-b", "main")
	sub.Save("inner", "inner.go", "inner\n", ".gitattributes", "*.go filter=inner\n")
	x.Write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n")
	x.Git("-c", "advice.addEmbeddedRepo=false", "add", "-A")
	x.Git("commit", "-qm", "a submodule")
	x.Git("worktree", "add", "-q", x.linked)

	x.Write("../commit", "tree "+x.Git("rev-parse", "HEAD^{tree}")+"\nparent "+x.Git("rev-parse", "HEAD")+
		"\nauthor A <a@example.com> 1700000000 +0000\ncommitter A <a@example.com> 1700000000 +0000\n"+
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n")
	x.Git("update-ref", "HEAD", x.Git("hash-object", "-t", "commit", "-w", x.Path("../commit")))
	return x
}

// settings are the hostile settings. Each value that git runs leaves a file of the name that stands
// behind spring.
func (x *traps) settings() string {
	raw := fault.Must(os.ReadFile("testdata/traps.gitconfig"))
	text := strings.ReplaceAll(string(raw), "SPRING", x.spring)
	for _, verb := range append(slices.Sorted(maps.Keys(gitVerbs)), "trap") {
		text += fmt.Sprintf("[alias]\n\t%s = \"!%s alias\"\n", verb, x.spring)
	}
	return text
}

// odd is a filter that no option can switch off.
func (x *traps) odd() string {
	return "[filter \"a=b\"]\n\tclean = \"" + x.spring + " odd; cat\"\n"
}

// arm puts the settings in place, takes the lost blob away and makes every file look changed, so
// that git has to compare contents. From here on the test runs git itself only to show that a trap
// works.
func (x *traps) arm(settings string) {
	x.Helper()
	x.Write(".git/config", x.Read(".git/config")+settings)
	x.Write("sub/.git/config", x.Read("sub/.git/config")+
		"[core]\n\tfsmonitor = "+x.spring+" submodule\n[filter \"inner\"]\n\tclean = \""+x.spring+" submodule-clean; cat\"\n")
	x.hook(x.Path(".git/hooks"))
	x.Remove(".git/objects/" + x.lost[:2] + "/" + x.lost[2:])
}

// hook puts every hook into a folder.
func (x *traps) hook(dir string) {
	x.Helper()
	fault.Check(x, os.MkdirAll(dir, 0o755))
	for _, name := range hooks {
		fault.Check(x, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+x.spring+" hook-"+name+"\n"), 0o755))
	}
}

// touch gives all files of a worktree another time, so that git compares their contents.
func (x *traps) touch(dir string) {
	x.Helper()
	x.touched++
	at := time.Now().Add(-time.Duration(x.touched) * time.Hour)
	names := fault.Must(filepath.Glob(filepath.Join(dir, "*")))
	for _, name := range append(names, filepath.Join(dir, "sub", "inner.go")) {
		_ = os.Chtimes(name, at, at) // the linked worktree has no files in sub
	}
}

// found takes the names of the traps that have sprung.
func (x *traps) found() (names []string) {
	x.Helper()
	entries := fault.Must(os.ReadDir(x.sprung))
	for _, e := range entries {
		names = append(names, e.Name())
		fault.Check(x, os.Remove(filepath.Join(x.sprung, e.Name())))
	}
	return names
}

// TestTraps: nothing that a repository's own settings, attributes and hooks name is run, whatever
// the program asks git for.
func TestTraps(t *testing.T) {
	for name, arm := range map[string]func(*traps){
		"in an included file, with a folder of hooks": func(x *traps) {
			x.hook(x.Path("hostile"))
			x.Write("hostile/settings", x.settings()+"[core]\n\thooksPath = hostile\n")
			x.arm(promisor + "[include]\n\tpath = ../hostile/settings\n")
		},
		"in the settings, also of a worktree": func(x *traps) {
			x.Write(".git/config.worktree", x.settings())
			x.Write(".git/worktrees/linked/config.worktree", x.settings())
			x.arm(promisor + x.settings() + "[extensions]\n\tworktreeConfig = true\n")
		},
		"in filters that no option can name": func(x *traps) { x.arm(x.odd()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTraps(t)
			arm(x)
			p := Find(x.Env)
			read := func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
			patch := "diff --git a/wire.go b/wire.go\n--- a/wire.go\n+++ b/wire.go\n@@ -1 +1 @@\n-package wire\n+package cable\n"
			asked := map[string]bool{}
			for _, dir := range []string{x.Dir, x.linked} {
				blobs := fault.Must(p.Blobs(t.Context(), dir))
				_, _ = blobs.Read(x.lost, 9) // it is not there
				blobs.Close()
				for _, line := range []string{"status --porcelain -uall", "ls-files -z --stage", "diff -p HEAD^",
					"ls-files -o -m --exclude-standard", "diff-tree -r -p -M HEAD^^ HEAD", "log -p -- protocol.md",
					"diff-tree -r -p begin HEAD -- protocol.md", "log -p -M --raw --format=%H",
					"rev-list --objects HEAD", "rev-parse --show-toplevel", "ls-tree -r -l HEAD", "merge-base HEAD HEAD^",
					"symbolic-ref HEAD", "config --list", "check-attr filter -- wire.go", "version", "cat-file -e " + x.lost,
					"blame --porcelain protocol.md", "apply", "apply -R"} {
					x.touch(dir)
					args := strings.Fields(line)
					asked[args[0]] = true
					err := p.Stream(t.Context(), dir, patch, read, args...)
					if found := x.found(); len(found) > 0 {
						t.Errorf("git %s ran %q", line, found)
					}
					if err != nil && !errors.Is(err, ErrFilters) && !strings.Contains(err.Error()+line, x.lost) {
						t.Errorf("git %s: %v", line, err)
					}
				}
			}
			for verb := range gitVerbs {
				if !asked[verb] {
					t.Errorf("git %s is not tried", verb)
				}
			}
		})
	}
}

// TestTrapsWork: each trap is one that git's own commands, those of testdata/bites.txt, run into, so
// that TestTraps can fail.
func TestTrapsWork(t *testing.T) {
	t.Parallel()
	x := newTraps(t)
	x.arm(promisor + x.settings() + x.odd())
	x.Write("plain.txt", "edited\n")
	for line := range strings.Lines(string(fault.Must(os.ReadFile("testdata/bites.txt")))) {
		who, command, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		command = strings.ReplaceAll(command, "LOST", x.lost)
		x.touch(x.Dir)
		cmd := x.Command("sh", "-c", command)
		cmd.Env = append(cmd.Env, "TERM=dumb", "git=git -c filter.process.process=")
		out, _ := cmd.CombinedOutput() // most of these commands fail: their trap does nothing useful
		if found := x.found(); !slices.Contains(found, who) {
			t.Errorf("%s does not run %s, but %v:\n%s", command, who, found, out)
		}
	}
}
