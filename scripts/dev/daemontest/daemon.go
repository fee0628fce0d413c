// Package daemontest runs a daemon inside of the process of a test, in a repository of its own, for
// the tests of the daemon and of what speaks to it. Only tests import the package.
package daemontest

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
	"github.com/aoa-dev/aoa/watcher"
)

// Patient is how long a test waits for what must happen: machines that run tests have other work.
const Patient = 60 * time.Second

// Daemon is a repository and the daemon that serves it. Its methods end the test on an error.
type Daemon struct {
	testing.TB
	Repo    *repotest.Repo
	Options daemon.Options // of the next start
	Late    atomic.Int64   // added to the clock, in nanoseconds

	end  context.CancelFunc // nil: the daemon does not run
	done chan error
}

// New makes an empty repository in a folder with a short name, since the socket lies in it, and a
// store that the user of env knows. The variables of env come behind those of package repotest. The
// daemon is not started.
func New(tb testing.TB, env ...string) *Daemon {
	tb.Helper()
	top := fault.Must(os.MkdirTemp("", "aoa"))
	tb.Cleanup(func() { os.RemoveAll(top) })
	d := &Daemon{TB: tb, Repo: repotest.Below(tb, top)}
	d.Repo.Env = append(d.Repo.Env, env...)
	d.Options = daemon.Options{Env: d.Repo.Env, Version: "test", Build: "test", Log: slog.New(slog.NewTextHandler(tb.Output(), nil)),
		Now: func() time.Time { return time.Now().Add(time.Duration(d.Late.Load())) }}
	d.Options.Repo = fault.Must(watcher.OpenRepo(tb.Context(), d.Repo.Dir, d.Repo.Env))
	d.Options.Place = fault.Must(locate.Create(d.Options.Repo.CommonDir, config.Lookup(d.Repo.Env)))
	return d
}

// Start runs the daemon until the test ends and returns when it listens.
func (d *Daemon) Start() {
	d.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(d.Context()))
	ready := make(chan struct{})
	var once sync.Once
	d.Options.Ready = func() { once.Do(func() { close(ready) }) }
	d.done, d.end = make(chan error, 1), cancel
	go func() { d.done <- daemon.Run(ctx, d.Options) }()
	select {
	case <-ready:
	case err := <-d.done:
		cancel()
		d.Fatalf("run: %v", err)
	}
	d.Cleanup(d.Stop)
}

// Begin starts the daemon and returns when it has read the history.
func (d *Daemon) Begin() {
	d.Helper()
	d.Start()
	d.Until("the history is read", func() bool { return Call(d, api.Status, api.None{}).Import.State == "done" })
}

// Stop ends the daemon, if it runs, and waits for it.
func (d *Daemon) Stop() {
	d.Helper()
	if d.end != nil {
		d.end()
		d.Ended()
	}
}

// Ended waits until the daemon has ended by itself.
func (d *Daemon) Ended() {
	d.Helper()
	select {
	case err := <-d.done:
		if err != nil {
			d.Errorf("run: %v", err)
		}
	case <-time.After(Patient):
		d.Fatal("the daemon goes on")
	}
	d.end()
	d.end = nil
}

// Client calls the daemon from a folder. It waits long for a sign of life, as on a busy machine.
func (d *Daemon) Client(dir string) *api.Client {
	return &api.Client{Place: d.Options.Place, Dir: dir, Patience: 20}
}

// Call asks the daemon from the root of the repository. It asks again while the daemon opens its
// stores again.
func Call[Req, Res any](d *Daemon, r api.Route[Req, Res], req Req) Res {
	d.Helper()
	c := d.Client(d.Repo.Dir)
	c.Start = func(context.Context) error { return nil } // it starts by itself
	res, err := api.Call(d.Context(), c, r, req)
	if err != nil {
		d.Fatalf("%s: %v", r.Path, err)
	}
	return res
}

// Until waits until something is so.
func (d *Daemon) Until(what string, so func() bool) {
	d.Helper()
	fault.Until(d, Patient, what, so)
}
