// Command replay plays recorded sessions of agents to the real programs, as Claude Code would have
// run them.
//
//	go run ./scripts/dev/replay -sessions DIR [-repos CLONES] [-most N] [-only NAME]
//	        [-set "AOA_KEY=value …"] [-texts FILE]
//	go run ./scripts/dev/replay -soak 1h -sessions DIR [-repos CLONES] [-rate 60] [-most N]
//	        [-only NAME]
//
// It reads files NAME.jsonl.gz (package recorded) and clones called NAME. It prints a table of what
// hints said and how long they took. With -soak, it prints the memory and files of one daemon that
// gets the sessions of the first recording over and over. Everything that it makes is in a folder
// of its own, which it deletes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// options are what the command line says.
type options struct {
	sessions, repos, only, set, texts string
	most, rate                        int
	soak, kill                        time.Duration
	daemon                            string // how much faster the clock runs; see serveHasty
}

func main() {
	var o options
	flag.StringVar(&o.sessions, "sessions", "", "folder of recorded sessions: NAME.jsonl.gz")
	flag.StringVar(&o.repos, "repos", "",
		"folder of their repositories: clones or mirrors called NAME (default: that of the sessions)")
	flag.IntVar(&o.most, "most", 0, "sessions of each repository, spread evenly; 0: all")
	flag.StringVar(&o.only, "only", "", "only the repository of that NAME")
	flag.StringVar(&o.set, "set", "", "settings, as AOA_KEY=value separated by spaces")
	flag.StringVar(&o.texts, "texts", "", "file to which every text that was said is appended")
	flag.DurationVar(&o.soak, "soak", 0, "give the sessions to one daemon for so long")
	flag.DurationVar(&o.kill, "kill", 0, "with -soak: kill the daemon about so often, use git beside it, and compare "+
		"the log")
	flag.IntVar(&o.rate, "rate", 60, "with -soak: hooks a second")
	flag.StringVar(&o.daemon, "daemon", "", "serve this repository with a hasty clock; -soak runs it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	if o.daemon != "" {
		return serveHasty(ctx, o.daemon)
	}
	if o.repos == "" {
		o.repos = o.sessions
	}
	files, err := filepath.Glob(filepath.Join(o.sessions, "*.jsonl.gz"))
	if err != nil {
		return err
	}
	top, err := os.MkdirTemp("", "aoa") // A short name, because sockets are made in this folder.
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	bin := filepath.Join(top, "aoa")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin,
		"github.com/aoa-dev/aoa/cmd/aoa")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build aoa: %w: %s", err, out)
	}
	all := newTally("all repositories")
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		if strings.HasSuffix(name, ".commits") || o.only != "" && o.only != name {
			continue
		}
		source := recorded.CloneOf(o.repos, strings.ReplaceAll(name, "+", "/"))
		if source == "" {
			fmt.Fprintf(os.Stderr, "%s is left out: no clone of it in %s\n", name, o.repos)
			continue
		}
		s, err := newSite(ctx, filepath.Join(top, fmt.Sprint(i)), source, strings.Fields(o.set))
		if err != nil {
			return err
		}
		if o.soak > 0 {
			return o.soakOn(ctx, s, file, bin)
		}
		r := newReplay(s, bin, name, o.texts)
		if err := r.run(ctx, file, o.most); err != nil {
			return fmt.Errorf("replay %s: %w", name, err)
		}
		r.tally.print(os.Stdout)
		all.join(r.tally)
	}
	if all.sessions == 0 {
		return fmt.Errorf("no recording in %s has a clone in %s", o.sessions, o.repos)
	}
	all.print(os.Stdout)
	return nil
}
