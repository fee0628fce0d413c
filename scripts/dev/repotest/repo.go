package repotest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// Repo is a repository made with the git program, seen from one of its folders. Its methods end the
// test on an error.
type Repo struct {
	testing.TB
	Dir string
	Env []string // environment of git, and of the programs that are tested
	// the date of the next git command; if nil, a second after the last command without a date
	Now func() time.Time
}

// Env returns an environment without the settings of a user, whose home is that folder.
func Env(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "TMPDIR=" + os.TempDir(),
		"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"), "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com"}
}

// New makes an empty repository on the branch main. A test is skipped if its git does not know the
// options of init.
func New(tb testing.TB, options ...string) *Repo {
	tb.Helper()
	return Below(tb, tb.TempDir(), options...)
}

// Below makes the folders repo and home in an existing folder. If a socket is needed in the
// repository, the name of that folder must be short.
func Below(tb testing.TB, top string, options ...string) *Repo {
	tb.Helper()
	top, err := filepath.EvalSymlinks(top)
	fault.Check(tb, err)
	r := &Repo{TB: tb, Dir: filepath.Join(top, "repo"), Env: Env(filepath.Join(top, "home"))}
	fault.Check(tb, os.MkdirAll(r.Dir, 0o755))
	fault.Check(tb, os.MkdirAll(filepath.Join(top, "home"), 0o755))
	if out, err := r.Try(append([]string{"init", "-q", "-b", "main"}, options...)...); err != nil {
		fault.Lacking(tb, "git", "this git cannot make such a repository: %s", out)
	}
	return r
}

// At returns the same repository, or another one of the same person, as seen from a folder.
func (r *Repo) At(dir string) *Repo { return &Repo{TB: r.TB, Dir: dir, Env: r.Env, Now: r.Now} }

// clock counts the git commands of all repositories without a time of their own.
var clock atomic.Int64

// Command returns a command in the folder, with a date for what git writes.
func (r *Repo) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	now := time.Unix(1_600_000_000+clock.Add(1), 0)
	if r.Now != nil {
		now = r.Now()
	}
	date := fmt.Sprintf("%d +0000", now.Unix())
	cmd.Dir = r.Dir
	cmd.Env = append(r.Env[:len(r.Env):len(r.Env)], "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "LC_ALL=C")
	return cmd
}

// Try runs git and returns what it printed.
func (r *Repo) Try(args ...string) (string, error) {
	out, err := r.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "gc.auto=0"},
		args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Git runs git like Try, and ends the test if git fails.
func (r *Repo) Git(args ...string) string {
	r.Helper()
	out, err := r.Try(args...)
	if err != nil {
		r.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Run runs a line of a shell and returns what it printed.
func (r *Repo) Run(line string) string {
	r.Helper()
	out, err := r.Command("sh", "-ec", line).CombinedOutput()
	if err != nil {
		r.Fatalf("%s: %v\n%s", line, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Path returns the full name of a file.
func (r *Repo) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Write makes a file, and the folders that it needs.
func (r *Repo) Write(name, text string) {
	r.Helper()
	fault.Check(r, os.MkdirAll(filepath.Dir(r.Path(name)), 0o755))
	fault.Check(r, os.WriteFile(r.Path(name), []byte(text), 0o644))
}

// Read returns the content of a file.
func (r *Repo) Read(name string) string {
	r.Helper()
	text, err := os.ReadFile(r.Path(name))
	fault.Check(r, err)
	return string(text)
}

// Remove deletes a file or a folder.
func (r *Repo) Remove(name string) {
	r.Helper()
	fault.Check(r, os.RemoveAll(r.Path(name)))
}

// Rename moves a file or a folder.
func (r *Repo) Rename(from, to string) {
	r.Helper()
	fault.Check(r, os.Rename(r.Path(from), r.Path(to)))
}

// Commit writes a new content to each of the files and commits everything that has changed, even if
// nothing has. It returns the id.
func (r *Repo) Commit(subject string, files ...string) string {
	r.Helper()
	for _, f := range files {
		r.Write(f, fmt.Sprintf("%s %d\n%s", f, clock.Add(1), strings.Repeat(f+" line\n", 10)))
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", subject)
	return r.Git("rev-parse", "HEAD")
}

// Save writes texts into files, commits everything that has changed, and returns the id. The
// arguments are name, text, name, text and so on.
func (r *Repo) Save(subject string, files ...string) string {
	r.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		r.Write(files[i], files[i+1])
	}
	return r.Commit(subject)
}

// Import gives a stream to git fast-import and checks the branch main out.
func (r *Repo) Import(stream string) {
	r.Helper()
	cmd := r.Command("git", "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(stream)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("fast-import: %v\n%s", err, out)
	}
	r.Git("reset", "-q", "--hard")
}

// Age makes all files a week old, as in a clone of last week.
func (r *Repo) Age() {
	r.Helper()
	old := time.Now().AddDate(0, 0, -7)
	fault.Check(r, filepath.WalkDir(r.Dir, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return filepath.SkipDir
		case e.Type().IsRegular():
			return os.Chtimes(path, old, old)
		}
		return nil
	}))
	r.Git("update-index", "-q", "--refresh")
}
