package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// tester runs the tests of one package on its mutants.
type tester struct {
	dir, scratch string
	workers      int
	patience     time.Duration // after which a test that still runs has noticed
	end          time.Time     // no further mutant is tried after it
}

// What a mutant may use. One that allocates without end must not take the machine with it.
const (
	leastPatience = 20 * time.Second
	addressSpace  = 8 << 20 // kilobytes
)

// test tries mutants, in their order, until most of them have compiled or the time is over. It returns those that have.
func (t *tester) test(ctx context.Context, places []mutant, most int) ([]mutant, error) {
	bin := filepath.Join(t.scratch, "unchanged.test")
	if out, err := t.compile(ctx, bin, ""); err != nil {
		return nil, fmt.Errorf("%s does not compile: %s", t.dir, out)
	}
	begin := time.Now()
	t.patience = time.Hour
	if failed, err := t.run(ctx, bin); failed != "" || err != nil {
		return nil, fmt.Errorf("%s: %s fails without a change (%v)", t.dir, failed, err)
	}
	t.patience = max(leastPatience, 8*time.Since(begin))
	var mu sync.Mutex // guards what follows
	next, results, failure := 0, make([]*mutant, len(places)), error(nil)
	compiled := func() (n int) {
		for _, r := range results {
			if r != nil {
				n++
			}
		}
		return n
	}
	var working sync.WaitGroup
	for worker := range t.workers {
		working.Go(func() {
			for {
				mu.Lock()
				i := next
				stop := failure != nil || i >= len(places) || compiled() >= most || time.Now().After(t.end)
				next++
				mu.Unlock()
				if stop {
					return
				}
				m := places[i]
				ok, err := t.try(ctx, &m, worker)
				mu.Lock()
				failure = errors.Join(failure, err)
				if ok {
					results[i] = &m
				}
				mu.Unlock()
			}
		})
	}
	working.Wait()
	var tried []mutant
	for _, r := range results {
		if r != nil && len(tried) < most {
			tried = append(tried, *r)
		}
	}
	return tried, failure
}

// try reports whether the mutant compiles, and notes which test killed it.
func (t *tester) try(ctx context.Context, m *mutant, worker int) (bool, error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return false, err
	}
	base := filepath.Join(t.scratch, fmt.Sprintf("%d", worker))
	changed := append(append(bytes.Clone(text[:m.start]), m.new...), text[m.end:]...)
	if err := os.WriteFile(base+".go", changed, 0o600); err != nil {
		return false, err
	}
	abs, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: base + ".go"}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(base+".json", overlay, 0o600); err != nil {
		return false, err
	}
	if _, err := t.compile(ctx, base+".test", base+".json"); err != nil {
		return false, ctx.Err() // it does not compile: no mutant
	}
	m.killed, err = t.run(ctx, base+".test")
	return true, err
}

func (t *tester) compile(ctx context.Context, bin, overlay string) (string, error) {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	out, err := exec.CommandContext(ctx, "go", append(args, "./"+t.dir)...).CombinedOutput()
	return string(out), err
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: test timed out)|^(fatal error: .*|panic: .*)`)

// run returns the first test that failed, "" if none did.
func (t *tester) run(ctx context.Context, bin string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.patience+10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, addressSpace), bin,
		"-test.failfast", "-test.timeout", t.patience.String())
	c.Dir, c.WaitDelay = t.dir, time.Second
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case context.Cause(ctx) == context.Canceled:
		return "", ctx.Err()
	case !errors.As(err, &exit) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", err
	}
	if found := failedTest.FindSubmatch(out); found != nil {
		return strings.TrimSpace(string(bytes.Join(found[1:], nil))), nil
	}
	return "the time limit", nil
}
