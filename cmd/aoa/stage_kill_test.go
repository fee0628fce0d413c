//go:build !windows

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// started is a run of the program that goes on.
type started struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func (d *sandbox) start(args ...string) *started {
	d.Helper()
	s := &started{Cmd: d.command(d.bin, args...)}
	s.Stdout, s.Stderr = &s.out, &s.err
	fault.Check(d.T, s.Start())
	return s
}

// wait returns the exit code.
func (s *started) wait() int {
	_ = s.Wait() // the code says it
	return s.ProcessState.ExitCode()
}

// patientScript says that it began, waits for a file, and says what it was there for.
const patientScript = `echo ran >>.git/log; sleep 1000 & echo $! >.git/child; while [ ! -e .git/go ]; do sleep 0.02; done; kill $(cat .git/child); echo out`

// has reports whether a file of the repository holds n lines.
func (d *sandbox) has(name string, n int) func() bool {
	return func() bool {
		b, _ := os.ReadFile(filepath.Join(d.dir, name)) // none: no line
		return strings.Count(string(b), "\n") >= n
	}
}

func (d *sandbox) alive(pidFile string) bool {
	b, err := os.ReadFile(filepath.Join(d.dir, pidFile))
	fault.Check(d.T, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	fault.Check(d.T, err)
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil &&
		strings.Contains(string(stat), ") Z") {
		return false // its parent has not waited for it yet
	}
	return syscall.Kill(pid, 0) == nil
}

var patientStage = []string{"stage", "run", "s", "--dep", "README.md", "--", "sh", "-c", patientScript}

// TestStageTwoAtOnce: four processes ask for the same, one runs.
func TestStageTwoAtOnce(t *testing.T) {
	d := initialized(t, 1)
	first := d.start(patientStage...)
	d.until("it runs", d.has(".git/log", 1))
	notes, err := os.Create(filepath.Join(d.dir, ".git", "notes"))
	fault.Check(t, err)
	defer notes.Close()
	waits := &started{Cmd: d.command(d.bin, patientStage...)}
	waits.Stdout, waits.Stderr = &waits.out, notes
	fault.Check(t, waits.Start())
	others := []*started{d.start(patientStage...), d.start(patientStage...), waits}
	d.until("a run that waits for a second says so", d.has(".git/notes", 1))
	d.write(".git/go", "")
	for _, s := range append(others, first) {
		if code := s.wait(); code != 0 || s.out.String() != "out\n" {
			t.Errorf("exit %d, %q\n%s", code, &s.out, &s.err)
		}
	}
	if d.has(".git/log", 2)() {
		t.Error("it ran twice")
	}
}

// TestStageInterrupted: ctrl-C reaches all that the command started, nothing is kept, and the next one has its turn.
func TestStageInterrupted(t *testing.T) {
	d := initialized(t, 1)
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		s := d.start(patientStage...)
		d.until("it runs", d.has(".git/log", i+1))
		d.until("it has a child", func() bool { return d.has(".git/child", 1)() && d.alive(".git/child") })
		fault.Check(t, s.Process.Signal(sig))
		if code := s.wait(); code != 128+int(sig) || !strings.Contains(s.err.String(), "not kept: it was interrupted") {
			t.Errorf("%v: exit %d\n%s", sig, code, &s.err)
		}
		d.until("the child's child is gone", func() bool { return !d.alive(".git/child") })
		fault.Check(t, os.Remove(filepath.Join(d.dir, ".git/child")))
	}
	if out := d.do("stage", "list"); out.out != "" {
		t.Errorf("kept: %s", out.out)
	}
	// A run that is killed gives its turn back, too.
	s := d.start(patientStage...)
	d.until("it runs", d.has(".git/log", 3))
	fault.Check(t, s.Process.Kill())
	s.wait()
	d.write(".git/go", "")
	if got := d.must(patientStage...); got != "out\n" || !d.has(".git/log", 4)() {
		t.Errorf("the next one: %q", got)
	}
}

// TestStageDaemonKilled: the command goes on when the daemon dies, and the next daemon keeps what it printed.
func TestStageDaemonKilled(t *testing.T) {
	d := initialized(t, 1)
	s := d.start(patientStage...)
	d.until("it runs", d.has(".git/log", 1))
	fault.Check(t, syscall.Kill(d.status().Pid, syscall.SIGKILL))
	d.write(".git/go", "")
	if code := s.wait(); code != 0 || s.out.String() != "out\n" {
		t.Fatalf("exit %d, %q\n%s", code, &s.out, &s.err)
	}
	if again := d.do(patientStage...); again.out != "out\n" || !strings.Contains(again.err, "unchanged") ||
		d.has(".git/log", 2)() {
		t.Errorf("the next one: %+v", again)
	}
	// A daemon that is stopped does not wait for a run that takes long, and a run that waits for it continues.
	fault.Check(t, os.Remove(filepath.Join(d.dir, ".git/go")))
	d.write("README.md", "changed")
	s = d.start(patientStage...)
	d.until("it runs", d.has(".git/log", 2))
	waiting := d.start(patientStage...)
	d.must("daemon", "stop")
	d.write(".git/go", "")
	if a, b := s.wait(), waiting.wait(); a != 0 || b != 0 || waiting.out.String() != "out\n" {
		t.Errorf("exit %d and %d\n%s\n%s", a, b, &s.err, &waiting.err)
	}
}

// TestPipelineKilled: the next run goes on behind the stages that were done.
func TestPipelineKilled(t *testing.T) {
	d := initialized(t, 1)
	d.write("p.yaml", `
stages:
  - {stage: one, run: "echo one >>.git/ones; echo 1"}
  - {stage: two, needs: [one], run: "echo ran >>.git/log; while [ ! -e .git/go ]; do sleep 0.02; done; echo 2"}
  - {stage: three, run: [echo, $STAGE_one, $STAGE_two]}
`)
	args := []string{"pipeline", "run", "p.yaml", "--session", "k"}
	s := d.start(args...)
	d.until("the second stage runs", d.has(".git/log", 1))
	fault.Check(t, s.Process.Signal(syscall.SIGKILL))
	s.wait()
	d.write(".git/go", "")
	got := d.do(args...)
	if got.code != 0 || got.out != "1 2\n" || d.has(".git/ones", 2)() ||
		!strings.Contains(got.err, "⟳ Session 1/3 | one | done by the interrupted run") {
		t.Errorf("%+v", got)
	}
	if again := d.do(args...); again.code != 0 || !d.has(".git/ones", 2)() {
		t.Errorf("a run that is done begins again: %+v", again)
	}
}
