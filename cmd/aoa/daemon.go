package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

func (a *app) daemon() *cobra.Command {
	c := &cobra.Command{
		Use:   "daemon",
		Short: "start, stop or run the daemon of this repository",
		Long:  `Every command and hook that needs the daemon starts it. One that has nothing to do ends by itself.`,
	}
	c.AddCommand(a.start(), a.stop(), a.daemonRun())
	return c
}

func (a *app) daemonRun() *cobra.Command {
	var verbose, report bool
	c := &cobra.Command{
		Use:   "run",
		Short: "run the daemon of this repository in the foreground",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			err := a.serve(c.Context(), verbose, report)
			if err != nil && report {
				fmt.Fprintln(a.out, err)
			}
			return err
		},
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "log to stderr instead of the store's log file")
	c.Flags().BoolVar(&report, "report", false, "close stdout when it listens, or print there why it cannot")
	_ = c.Flags().MarkHidden("report") // for daemon.Spawn; it fails for unknown flags only
	return c
}

func (a *app) serve(ctx context.Context, verbose, report bool) error {
	repo, err := a.repo(ctx)
	if err != nil {
		return err
	}
	place, err := a.store(repo)
	if err != nil {
		return err
	}
	if place, err = locate.Create(repo.CommonDir, a.getenv); err != nil {
		return err
	}
	cfg, _, err := config.Load(a.env, place.Store)
	if err != nil {
		return err
	}
	file := &lumberjack.Logger{Filename: filepath.Join(place.Store, "aoa.log"), MaxSize: 5, MaxBackups: 2}
	defer file.Close()
	log := slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: cfg.LogLevel}))
	if verbose {
		log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: cfg.LogLevel}))
	}
	note := filepath.Join(a.registry(), locate.Fingerprint(place.Store))
	err = daemon.Run(ctx, daemon.Options{Repo: repo, Place: place, Env: a.env, Version: version(), Build: build(),
		Patience: client.Factor(), Now: a.now, Log: log,
		Ready: func() {
			a.register(note, place)
			if out, ok := a.out.(io.Closer); ok && report {
				out.Close()
			}
			log.Info("listening", "pid", os.Getpid(), "socket", place.Socket, "version", version())
		},
		// Not later: once the lock is free, the next daemon registers itself under the same name.
		Ended: func() { os.Remove(note) }})
	switch {
	case errors.Is(err, daemon.ErrRunning):
		return nil // another daemon started first and serves the clients
	case errors.Is(err, watcher.ErrRepoGone):
		err = nil
	}
	if err != nil {
		log.Error("ended", "err", err)
	}
	return err
}

// register writes where this daemon runs, for status --all. It may fail.
func (a *app) register(note string, p locate.Place) {
	if err := os.MkdirAll(filepath.Dir(note), 0o700); err != nil {
		return
	}
	_ = atomicfile.WriteBytes(note, atomicfile.Options{}, fmt.Appendf(nil, "%s\x00%s\n", p.CommonDir, p.Store))
}
