package watcher

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// clock numbers the commits of all test repositories: every commit gets its own second after 1,600,000,000.
var clock atomic.Int64

// testEnv is an environment without a user's settings; git needs a name and a home of its own.
func testEnv(tb testing.TB) []string {
	tb.Helper()
	home := tb.TempDir()
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
	}
}

// repository is a real one, made by the git program.
type repository struct {
	tb  testing.TB
	dir string
	env []string
}

func newRepository(tb testing.TB, initArgs ...string) *repository {
	tb.Helper()
	top, err := filepath.EvalSymlinks(tb.TempDir())
	fault.Check(tb, err)
	g := &repository{tb: tb, dir: filepath.Join(top, "repo"), env: testEnv(tb)}
	fault.Check(tb, os.Mkdir(g.dir, 0o755))
	if out, err := g.try(append([]string{"init", "-q", "-b", "main"}, initArgs...)...); err != nil {
		fault.Lacking(tb, "git", "this git cannot make such a repository: %s", out)
	}
	return g
}

// at is the same repository seen from another folder.
func (g *repository) at(dir string) *repository {
	return &repository{tb: g.tb, dir: dir, env: g.env}
}

// command prepares a git command with the next second as its date.
func (g *repository) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com",
		"-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = g.dir
	date := fmt.Sprintf("%d +0000", 1_600_000_000+clock.Add(1))
	cmd.Env = append(append([]string{}, g.env...), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_EDITOR=true",
		"LC_ALL=C")
	return cmd
}

func (g *repository) try(args ...string) (string, error) {
	out, err := g.command(args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (g *repository) git(args ...string) string {
	g.tb.Helper()
	out, err := g.try(args...)
	if err != nil {
		g.tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (g *repository) write(name, content string) {
	g.tb.Helper()
	full := filepath.Join(g.dir, filepath.FromSlash(name))
	fault.Check(g.tb, os.MkdirAll(filepath.Dir(full), 0o755))
	fault.Check(g.tb, os.WriteFile(full, []byte(content), 0o644))
}

// commit writes the files (each with a content of its own and the commit's number) and commits all; it returns the id.
func (g *repository) commit(subject string, files ...string) string {
	g.tb.Helper()
	for _, f := range files {
		g.write(f, fmt.Sprintf("%s %d\n%s\n", f, clock.Load(), strings.Repeat(f+" line\n", 10)))
	}
	g.git("add", "-A")
	g.git("commit", "-q", "--allow-empty", "-m", subject)
	return g.git("rev-parse", "HEAD")
}

func (g *repository) open() *Repo {
	g.tb.Helper()
	r, err := OpenRepo(context.Background(), g.dir, g.env)
	fault.Check(g.tb, err)
	return r
}

// generated makes a repository of n commits over a few hundred files by git fast-import.
func generated(tb testing.TB, n int) string {
	tb.Helper()
	g := newRepository(tb)
	var in bytes.Buffer
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter t <t@example.com> %d +0000\ndata <<EOM\nchange "+
			"%d\n\nbody\nEOM\n", i+1, 1_500_000_000+i*60, i)
		if i > 0 {
			fmt.Fprintf(&in, "from :%d\n", i)
		}
		if i%50 == 49 {
			fmt.Fprintf(&in, "merge :%d\n", i-10)
		}
		for j := range 1 + i%7 {
			fmt.Fprintf(&in, "M 644 inline pkg%d/sub%d/file%d.go\ndata <<EOM\n%d %d\nEOM\n", (i*7+j)%13, (i+j*3)%5, (i*j+i)%11,
				i, j)
		}
		if i%97 == 96 {
			fmt.Fprintf(&in, "D pkg%d/sub%d\n", i%13, i%5)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = g.dir, g.env, &in
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("fast-import: %v\n%s", err, out)
	}
	g.git("reset", "-q", "--hard")
	g.git("repack", "-adq")
	return g.dir
}
