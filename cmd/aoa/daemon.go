package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

func (a *app) daemon() *cobra.Command {
	return family("daemon", "start, stop or run the daemon of this repository", a.start(), a.stop(), a.daemonRun())
}

func (a *app) daemonRun() *cobra.Command {
	var verbose, report bool
	c := newCommand("run", "run the daemon of this repository in the foreground", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			err := a.serve(ctx, verbose, report)
			if err != nil && report {
				fmt.Fprintln(a.out, err)
			}
			return err
		})
	c.Flags().BoolVar(&verbose, "verbose", false, "log to stderr instead of the store's log file")
	c.Flags().BoolVar(&report, "report", false, "close stdout when it listens, or print there why it cannot")
	_ = c.Flags().MarkHidden("report") // for api.Spawn; it fails only for unknown flags
	return c
}

func (a *app) serve(ctx context.Context, verbose, report bool) error {
	repo, place, err := a.known(ctx)
	if err != nil {
		return err
	}
	// The daemon does not create a store. A daemon started by a hook would otherwise restore what
	// aoa remove has just deleted.
	if err := ready(place); err != nil {
		return err
	}
	cfg, _, err := config.Load(a.env, place.Settings())
	if err != nil {
		return err
	}
	file := &lumberjack.Logger{Filename: filepath.Join(place.Store, "aoa.log"), MaxSize: 5, MaxBackups: 2}
	defer file.Close()
	level := new(slog.LevelVar)
	level.Set(cfg.LogLevel)
	log := slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: level}))
	if verbose {
		log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	}
	o := a.daemonOptions(repo, place, log)
	o.Level, o.Ready = level, func() {
		if out, ok := a.unwrapped().(io.Closer); ok && report {
			out.Close()
		}
		log.Info("listening", "pid", os.Getpid(), "socket", place.Socket, "version", version())
	}
	err = daemon.Run(ctx, o)
	switch {
	case errors.Is(err, api.ErrRunning):
		return nil // another daemon started first and serves the clients
	case errors.Is(err, watcher.ErrRepoGone):
		err = nil
	}
	if _, gone := os.Stat(place.Store); err != nil && gone == nil { // opening the log would create its folder again
		log.Error("ended", "err", err)
	}
	return err
}

// ready creates what a daemon needs besides its store.
func ready(place locate.Place) error { return errors.Join(place.Record(), place.MakeSocketFolder()) }

func (a *app) daemonOptions(repo *watcher.Repo, place locate.Place, log *slog.Logger) daemon.Options {
	return daemon.Options{Repo: repo, Place: place, Env: a.env, Version: version(), Build: build(), Now: a.now, Log: log,
		Patience: client.Factor()}
}

func (a *app) start() *cobra.Command {
	return newCommand("start", "start the daemon (commands that need it start it too)", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			client, _, err := a.client(ctx)
			if err != nil {
				return err
			}
			state := "started"
			if conn, err := api.Dial(ctx, client.Place); err == nil {
				conn.Close()
				state = "already_running"
			}
			st, err := call(ctx, a, api.Status, api.None{})
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"state": state, "pid": st.Pid}, func() {
				fmt.Fprintf(a.out, "%s, pid %d\n", strings.ReplaceAll(state, "_", " "), st.Pid)
			})
		})
}

func (a *app) stop() *cobra.Command {
	var all, force bool
	c := newCommand("stop", "stop the daemon after it has written everything", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			places, _ := locate.Stores(a.getenv)
			if !all {
				_, place, err := a.known(ctx)
				if err != nil {
					return err
				}
				places = []locate.Place{place}
			}
			stopped := 0
			var failed []error
			for _, p := range places {
				held, err := a.halt(ctx, p, force)
				if held != nil {
					err = errors.Join(err, held.Unlock())
				}
				switch {
				case err == nil:
					stopped++
				case !errors.Is(err, api.ErrNoDaemon):
					failed = append(failed, err)
				}
			}
			if err := errors.Join(failed...); err != nil && stopped == 0 {
				return err
			}
			err := a.answer(map[string]any{"stopped": stopped}, func() {
				if stopped == 0 {
					fmt.Fprintln(a.out, "not running")
					return
				}
				fmt.Fprintln(a.out, "stopped "+plural(stopped, "daemon"))
			})
			return errors.Join(append(failed, err)...)
		})
	c.Flags().BoolVar(&all, "all", false, "all daemons of this user")
	c.Flags().BoolVar(&force, "force", false, "lose what cannot be written, and kill a daemon that does not answer")
	return c
}

// halt asks a daemon to stop, and waits until it has written everything and released its lock. With
// force the daemon ends in any case, and what it cannot write is lost. The lock is then held for
// the caller, also if the error is api.ErrNoDaemon; with any other error held is nil.
func (a *app) halt(ctx context.Context, p locate.Place, force bool) (held *flock.Flock, err error) {
	limit := stopTime * time.Duration(client.Factor())
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var asked bool
	for {
		ans, err := api.Call(ctx, a.running(p), api.Stop, api.StopRequest{Force: force})
		if force {
			err = a.kill(err)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, api.ErrNoDaemon) {
			return nil, err
		}
		if ans.Unwritten > 0 {
			a.talk("%s could not be written and are lost: %s", plural(ans.Unwritten, "event"), ans.Why)
		}
		asked = asked || err == nil
		// A daemon that no longer listens may still be writing its last snapshot, or another one
		// may be starting. So it is asked again.
		step, cancel := context.WithTimeout(ctx, askAgain)
		held, waiting := api.Gone(step, p)
		cancel()
		switch {
		case waiting == nil && asked:
			return held, nil
		case waiting == nil:
			return held, err
		case ctx.Err() != nil:
			return nil, fmt.Errorf("the daemon did not stop within %s", limit)
		}
	}
}

// kill kills the daemon if the error says that it does not answer. It returns other errors.
func (a *app) kill(err error) error {
	silent, ok := errors.AsType[*api.Silent](err)
	if !ok || silent.Pid == 0 {
		return err
	}
	process, err := os.FindProcess(silent.Pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the daemon (pid %d): %w", silent.Pid, err)
	}
	a.talk("killed the daemon (pid %d): what it had not written is lost", silent.Pid)
	return nil
}

// stopTime is how long a daemon may take to stop, askAgain the interval at which it is asked again.
const (
	stopTime = 15 * time.Second
	askAgain = 500 * time.Millisecond
)
