//go:build unix

package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// clientSandbox is what a real client works in: a repository, a home, and a folder with aoa that is
// first in PATH.
type clientSandbox struct {
	t               *testing.T
	repo, home, bin string
	env             []string
}

// built returns the program aoa, built once from this source and stored next to the downloads.
var built = sync.OnceValues(func() (string, error) {
	file := filepath.Join(clientsDir(), "aoa")
	part := file + "." + strconv.Itoa(os.Getpid())
	cmd := exec.Command("go", "build", "-o", part, "../../../cmd/aoa")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return file, os.Rename(part, file) // A daemon of an earlier build keeps its own file.
})

// newClientSandbox makes a repository with a history (see script) and an empty home.
func newClientSandbox(t *testing.T, commits []commit) *clientSandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fault.Check(t, err)
	program, err := built()
	fault.Check(t, err)
	w := &clientSandbox{t: t, repo: filepath.Join(dir, "repo"), home: filepath.Join(dir, "home"),
		bin: filepath.Join(dir, "bin")}
	r := repotest.Below(t, dir)
	fault.Check(t, os.Mkdir(w.bin, 0o755))
	fault.Check(t, os.Symlink(program, filepath.Join(w.bin, "aoa")))
	w.env = append(r.Env, "PATH="+w.bin+":"+os.Getenv("PATH"), "TMPDIR="+dir, "LANG=C.UTF-8", "TZ=UTC", "NO_COLOR=1",
		"AOA_PATIENCE=10", "AOA_IDLE_TIMEOUT=5m", "XDG_CACHE_HOME="+filepath.Join(w.home, ".cache"),
		"XDG_DATA_HOME="+filepath.Join(w.home, ".data"))
	r.Import(stream(commits))
	return w
}

// commit is a commit of a sandbox's history: files that changed together, with a subject.
type commit struct {
	subject string
	files   []string
}

// stream returns a stream for git fast-import: the commits an hour apart, the last one an hour ago.
// Each changes a line that has its subject.
func stream(commits []commit) string {
	var b strings.Builder
	start := time.Now().Add(-time.Duration(len(commits)) * time.Hour).Unix()
	for i, c := range commits {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata <<E\n%s\nE\n",
			start+int64(i)*3600, c.subject)
		for _, name := range c.files {
			fmt.Fprintf(&b, "M 100644 inline %s\ndata <<E\n%s\n%s %d\nE\n", name, name, c.subject, i)
		}
	}
	return b.String()
}

// must runs a program in the repository and returns its output.
func (w *clientSandbox) must(args ...string) string {
	w.t.Helper()
	program := args[0]
	if program == "aoa" { // the full path, because a test may have taken aoa out of the client's PATH
		var err error
		program, err = built()
		fault.Check(w.t, err)
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Dir, cmd.Env = w.repo, w.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%s: %v: %s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

// learn runs aoa init with the given arguments. Settings are key=value. No hint is withheld, so
// that the texts depend only on the script.
func (w *clientSandbox) learn(args []string, settings ...string) {
	w.t.Helper()
	w.must(append([]string{"aoa", "init"}, args...)...)
	w.t.Cleanup(w.leave)
	for _, s := range append([]string{"holdout=0"}, settings...) {
		key, value, _ := strings.Cut(s, "=")
		w.must("aoa", "config", key, value)
	}
	w.must("aoa", "check") // waits until it is known what each commit changed
}

// leave stops the daemon, in whatever state the test left it. If the test failed, it prints what
// was learned.
func (w *clientSandbox) leave() {
	program := filepath.Join(w.bin, "aoa")
	if _, err := os.Lstat(program); err != nil {
		if source, err := built(); err == nil {
			_ = os.Symlink(source, program)
		}
	}
	cmd := exec.Command(program, "log", "--json", "--kind", "start,prompt,read,edit,write,search,run,failed,hint,end")
	if w.t.Failed() {
		cmd.Dir, cmd.Env = w.repo, w.env
		out, _ := cmd.CombinedOutput()
		w.t.Logf("%s", out)
	}
	cmd = exec.Command(program, "daemon", "stop")
	cmd.Dir, cmd.Env = w.repo, w.env
	_ = cmd.Run() // No daemon may be running.
}

// write makes a file in the home.
func (w *clientSandbox) write(file, text string) {
	w.t.Helper()
	fault.Check(w.t, os.MkdirAll(filepath.Dir(file), 0o755))
	fault.Check(w.t, os.WriteFile(file, []byte(text), 0o600))
}

// path returns the absolute name of a file in the repository.
func (w *clientSandbox) path(name string) string {
	return filepath.Join(w.repo, filepath.FromSlash(name))
}

// outcome is how a client's run ended.
type outcome struct {
	out, err string
	took     time.Duration
}

// How long a client may run. longest is about twenty times as long as it needs on an idle machine,
// and shorter than the limit of the test. busy is added to three times the duration without aoa,
// because the machine may be busier by then. A hook that does not return in time costs at least the
// client's own limit, 30 to 60 seconds.
const (
	longest = 3 * time.Minute
	busy    = 20 * time.Second
)

// run lets a client work in the sandbox. Its environment has only the variables of the sandbox and
// env, and it cannot reach other machines. It must end by itself, without an error.
func (w *clientSandbox) run(env []string, args ...string) outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = w.repo, &out, &errs, time.Second
	cmd.Env = append(append(w.env, "IS_SANDBOX=1"), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var err error
	begin := time.Now()
	if none := caged(func() { err = cmd.Start() }); none != nil {
		cmd.Env = append(cmd.Env, "http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9",
			"HTTPS_PROXY=http://127.0.0.1:9", "no_proxy=127.0.0.1")
		err = cmd.Start()
	}
	if err == nil {
		err = cmd.Wait()
	}
	o := outcome{out.String(), errs.String(), time.Since(begin)}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		w.t.Errorf("the client failed: %v\nstdout: %s\nstderr: %s", err, o.out, o.err)
	}
	return o
}

// log returns what aoa learned, oldest first.
func (w *clientSandbox) log(args ...string) (out []event.Event) {
	w.t.Helper()
	text := json.NewDecoder(strings.NewReader(w.must(append([]string{"aoa", "log", "--json", "-n", "1000"}, args...)...)))
	for text.More() {
		var e event.Event
		fault.Check(w.t, text.Decode(&e))
		out = append(out, e)
	}
	return out
}
