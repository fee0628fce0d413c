package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/watcher"
)

// patient is how long the daemon may take to learn a history.
const patient = 2 * time.Minute

// site is a clone without files, with its own home and daemon.
type site struct {
	dir   string
	env   []string
	repo  *watcher.Repo
	place locate.Place
}

func newSite(ctx context.Context, top, source string, settings []string) (*site, error) {
	s := &site{dir: filepath.Join(top, "r")}
	s.env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + top,
		"XDG_CONFIG_HOME=" + top + "/c", "XDG_STATE_HOME=" + top + "/s", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_SYSTEM=" + os.DevNull, "AOA_IDLE_TIMEOUT=0", "AOA_WATCH=off"}, settings...)
	clone := exec.CommandContext(ctx, "git", "clone", "-q", "--shared", "--no-checkout", source, s.dir)
	if out, err := clone.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("clone %s: %w: %s", source, err, out)
	}
	// Commits that are reachable from these refs would be known too early.
	if _, err := s.git(ctx, "remote", "remove", "origin"); err != nil {
		return nil, err
	}
	return s, s.open(ctx)
}

// open finds the store of the clone.
func (s *site) open(ctx context.Context) (err error) {
	if s.repo, err = watcher.OpenRepo(ctx, s.dir, s.env); err != nil {
		return err
	}
	s.place, err = locate.Create(s.repo.CommonDir, config.Lookup(s.env))
	return err
}

func (s *site) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", s.dir}, args...)...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %v: %w: %.300s", args, err, out)
	}
	return string(out), nil
}

func (s *site) client() *api.Client { return &api.Client{Place: s.place, Dir: s.dir} }

// serve runs the daemon with a clock until ctx ends.
func (s *site) serve(ctx context.Context, now func() time.Time, ready func()) error {
	return daemon.Run(ctx, daemon.Options{Repo: s.repo, Place: s.place, Env: s.env, Version: "replay", Build: "replay",
		Now: now, Ready: ready,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))})
}

// learned waits until the daemon knows at least that many commits, and reports whether it did in
// time.
func (s *site) learned(ctx context.Context, limit time.Duration, commits int64) bool {
	return fault.Within(limit, func() bool {
		st, err := api.Call(ctx, s.client(), api.Status, api.None{})
		return err == nil && st.Import.State == "done" && st.Commits >= commits
	})
}
