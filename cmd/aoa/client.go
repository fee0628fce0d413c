package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

// repo opens the repository of the current folder.
func (a *app) repo(ctx context.Context) (*watcher.Repo, error) {
	r, err := watcher.OpenRepo(ctx, a.dir, a.env)
	switch {
	case errors.Is(err, watcher.ErrNotRepo), errors.Is(err, watcher.ErrBare):
		return nil, fail(exitNoRepo, "git init, or cd to a repository", "%v", err)
	case errors.Is(err, watcher.ErrNoGit):
		return nil, fail(exitFailed, "install git, or put its folder on the PATH", "%v", err)
	case err != nil:
		return nil, fail(exitFailed, "", "%v", err)
	}
	a.noteFolder(r)
	return r, nil
}

// client returns a client of the repository's daemon. The first call starts a daemon if none is running, unless
// running is set.
func (a *app) client(ctx context.Context, running bool) (*api.Client, *watcher.Repo, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, nil, err
	}
	place, err := a.store(r)
	if err != nil {
		return nil, nil, err
	}
	return a.dial(r, place, running), r, nil
}

// store returns the place of a repository that aoa init was run in.
func (a *app) store(r *watcher.Repo) (locate.Place, error) {
	place := locate.Find(r.CommonDir, a.getenv)
	if !place.Exists() {
		return place, fail(exitNoRepo, "aoa init", "aOa does not know this repository yet")
	}
	return place, nil
}

func (a *app) dial(r *watcher.Repo, place locate.Place, running bool) *api.Client {
	c := a.clientOf(place)
	if !running {
		c.Build = build()
		c.Start = func(ctx context.Context) error { return daemon.Spawn(ctx, string(r.Root), a.env) }
	}
	return c
}

// clientOf is a client of a daemon that runs; it starts none.
func (a *app) clientOf(place locate.Place) *api.Client {
	return &api.Client{Place: place, Dir: a.dir, Patience: client.Factor()}
}

// call calls the repository's daemon.
func call[Req, Res any](c *cobra.Command, a *app, r api.Route[Req, Res], req Req) (ans Res, err error) {
	client, _, err := a.client(c.Context(), false)
	if err != nil {
		return ans, err
	}
	return api.Call(c.Context(), client, r, req)
}

// show is call that prints the answer: as JSON with --json, else by text.
func show[Req, Res any](c *cobra.Command, a *app, r api.Route[Req, Res], req Req, text func(Res)) error {
	ans, err := call(c, a, r, req)
	if err != nil {
		return err
	}
	return a.answer(ans, func() { text(ans) })
}

// showing is a command without arguments that is one call. req has its flags.
func showing[Req, Res any](a *app, use, short string, r api.Route[Req, Res], req *Req, text func(Res)) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return show(c, a, r, *req, text) }}
}

// table is a command without arguments that prints one table of the daemon. r has its flags; part takes it out of the
// answer.
func table[T any](a *app, short string, r *api.StatsRequest, part func(api.StatsAnswer) *T,
	text func(T)) *cobra.Command {
	return &cobra.Command{Use: "stats", Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ans, err := call(c, a, api.Stats, *r)
			if err != nil {
				return err
			}
			found := *part(ans)
			return a.answer(found, func() { text(found) })
		}}
}

// showFrom is show with a client that is open already.
func showFrom[Req, Res any](ctx context.Context, a *app, client *api.Client, r api.Route[Req, Res], req Req,
	text func(Res)) error {
	ans, err := api.Call(ctx, client, r, req)
	if err != nil {
		return err
	}
	return a.answer(ans, func() { text(ans) })
}
