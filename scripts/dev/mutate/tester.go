package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tester runs the tests of one package on its mutants.
type tester struct {
	*program
	alone   []mutant // mutants that cannot be part of the program
	scratch string   // the tester's own folder
	workers int
	end     time.Time // the time after which no further mutant is tried
	tests   []*test   // the tests in the order in which they run
}

// test is a test of the package, run alone and without a change.
type test struct {
	name    string
	wall    time.Duration
	cpu     time.Duration
	reaches map[int]bool // the numbers of the mutants whose places it reaches
}

// Limits of a mutant. One that allocates or computes without end must not harm the machine. The
// limit on waiting is long, because the machine may be busy; the limit on computing is not.
const (
	leastWait    = 15 * time.Second
	leastCompute = 4 * time.Second
	moreTime     = 5       // how many times as long as without a change a mutant may take
	addressSpace = 8 << 20 // kilobytes
)

// newTester tries the mutants of a package in the order of places, until most of them compile.
func newTester(p *source, places []mutant, most int, scratch string, workers int, end time.Time) *tester {
	t := &tester{program: &program{source: p}, scratch: scratch, workers: workers, end: end}
	for _, m := range places {
		if len(t.mutants)+len(t.alone) == most {
			break
		}
		if text := t.with(m); text != "" && !t.add(m) {
			t.alone = append(t.alone, m)
		}
	}
	return t
}

// with writes a file with only this mutant and returns its name, "" if the package does not compile
// with it.
func (t *tester) with(m mutant) string {
	for i, name := range t.names {
		if name == m.file {
			if text := t.texts[i][:m.start] + m.new + t.texts[i][m.end:]; t.compiles(map[string]string{name: text}) {
				return text
			}
		}
	}
	return ""
}

// test returns the mutants that were tried before the end, with the tests that killed them.
func (t *tester) test(ctx context.Context) ([]mutant, error) {
	bin := filepath.Join(t.scratch, "all.test")
	if err := t.compile(ctx, bin, t.changed()); err != nil {
		return nil, err
	}
	if err := t.runAlone(ctx, bin); err != nil {
		return nil, err
	}
	var mu sync.Mutex // guards tried
	var tried []mutant
	err := t.each(len(t.mutants)+len(t.alone), func(worker, i int) (err error) {
		var m mutant
		if i < len(t.mutants) {
			m = t.mutants[i]
			m.killed, err = t.kill(ctx, worker, bin, i+1)
		} else {
			m = t.alone[i-len(t.mutants)]
			own := filepath.Join(t.scratch, fmt.Sprintf("%d.test", i))
			defer os.Remove(own)
			if err := t.compile(ctx, own, map[string]string{m.file: t.with(m)}); err != nil {
				return err
			}
			m.killed, err = t.kill(ctx, worker, own, 0)
		}
		mu.Lock()
		defer mu.Unlock()
		tried = append(tried, m)
		return err
	})
	return tried, err
}

// each calls f with 0 to n-1 from several workers, until the end or a failure. f also gets the number
// of the worker.
func (t *tester) each(n int, f func(worker, i int) error) error {
	var mu sync.Mutex // guards next and failure
	var failure error
	next := 0
	var working sync.WaitGroup
	for worker := range t.workers {
		working.Go(func() {
			for {
				mu.Lock()
				i := next
				stop := failure != nil || i >= n || time.Now().After(t.end)
				next++
				mu.Unlock()
				if stop {
					return
				}
				if err := f(worker, i); err != nil {
					mu.Lock()
					failure = errors.Join(failure, err)
					mu.Unlock()
				}
			}
		})
	}
	working.Wait()
	return failure
}

// compile makes the program of the tests, with these files in place of those of the tree.
func (t *tester) compile(ctx context.Context, bin string, changed map[string]string) error {
	replaced := map[string]string{}
	for name, text := range changed {
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		replaced[abs] = bin + "." + filepath.Base(name)
		if err := os.WriteFile(replaced[abs], []byte(text), 0o600); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return err
	}
	if err := os.WriteFile(bin+".json", overlay, 0o600); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin,
		"-overlay", bin+".json", "./"+t.dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", t.dir, err, out)
	}
	return nil
}

// runAlone runs each test without a change, to learn which mutants it reaches and how long it
// takes.
func (t *tester) runAlone(ctx context.Context, bin string) error {
	list := exec.CommandContext(ctx, bin, "-test.list", "^(Test|Fuzz|Example)")
	list.Dir = t.dir
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: its tests are not listed: %w", t.dir, err)
	}
	for _, name := range strings.Fields(string(out)) {
		t.tests = append(t.tests, &test{name: name, reaches: map[int]bool{}})
	}
	return t.each(len(t.tests), func(worker, i int) error {
		one := t.tests[i]
		reached := filepath.Join(t.scratch, one.name+".reached")
		begin := time.Now()
		failed, cpu, err := t.run(ctx, worker, bin, []string{one.name}, time.Hour, time.Hour, "MUTANT_REACHED="+reached)
		one.wall, one.cpu = time.Since(begin), cpu
		if failed != "" || err != nil {
			return fmt.Errorf("%s: %s fails without a change (%v)", t.dir, one.name, err)
		}
		numbers, err := os.ReadFile(reached)
		if err != nil {
			return err
		}
		for _, n := range strings.Fields(string(numbers)) {
			number, err := strconv.Atoi(n)
			if err != nil {
				return err
			}
			one.reaches[number] = true
		}
		return nil
	})
}

// kill runs the tests that reach a mutant, all of them if its number is 0, and returns the first
// that fails.
func (t *tester) kill(ctx context.Context, worker int, bin string, number int) (string, error) {
	var names []string
	var wall, cpu time.Duration
	for _, one := range t.tests {
		if number == 0 || one.reaches[number] {
			names, wall, cpu = append(names, one.name), wall+one.wall, cpu+one.cpu
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	killed, _, err := t.run(ctx, worker, bin, names, max(leastWait, moreTime*wall), max(leastCompute, moreTime*cpu),
		fmt.Sprintf("MUTANT=%d", number))
	return killed, err
}

var failedTest = regexp.MustCompile(
	`(?m)^\s*--- FAIL: (\S+)|^(panic: test timed out)|^(fatal error: .*|panic: .*|SIGXCPU: .*)`)

// run returns the name of the first test that failed, "" if none did, and how much processor time
// was used.
func (t *tester) run(ctx context.Context, worker int, bin string, names []string, wait, compute time.Duration,
	env ...string) (string, time.Duration, error) {
	dir, err := t.fresh(ctx, worker)
	if err != nil {
		return "", 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait+10*time.Second)
	defer cancel()
	script := fmt.Sprintf(`ulimit -v %d; ulimit -S -t %.0f; exec "$0" "$@"`, addressSpace, math.Ceil(compute.Seconds()))
	c := exec.CommandContext(ctx, "sh", "-c", script, bin, "-test.failfast", "-test.timeout", wait.String(), "-test.run",
		"^("+strings.Join(names, "|")+")$")
	c.Dir, c.WaitDelay, c.Env = dir, time.Second, append(os.Environ(), env...)
	ownGroup(c)
	out, err := c.CombinedOutput()
	endGroup(c)
	var cpu time.Duration
	if c.ProcessState != nil {
		cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", cpu, nil
	case context.Cause(ctx) == context.Canceled:
		return "", cpu, ctx.Err()
	case !errors.As(err, &exit) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", cpu, err
	}
	if found := failedTest.FindSubmatch(out); found != nil {
		return strings.TrimSpace(string(bytes.Join(found[1:], nil))), cpu, nil
	}
	return "the time limit", cpu, nil
}

// fresh returns the folder of the package in a copy of the repository, which belongs to one worker,
// and puts the files of the package there as they are in the repository. A mutant may write files
// into the folder where its tests run, such as .local if it gets the name of the home folder wrong.
// In the repository they would stay, and the tests of the next mutant would find them.
func (t *tester) fresh(ctx context.Context, worker int) (dir string, err error) {
	top := filepath.Join(t.scratch, fmt.Sprint("tree", worker))
	dir = filepath.Join(top, t.dir)
	only := t.dir
	if _, err := os.Stat(top); err != nil {
		only = "."
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", only).Output()
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(top, name), name); err != nil && !os.IsNotExist(err) { // deleted, and not yet committed
			return "", err
		}
	}
	return dir, nil
}

// copyFile copies a file with its mode, and makes the folders that it needs.
func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}
