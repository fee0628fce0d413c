package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

// repo opens the repository of the current folder.
func (a *app) repo(ctx context.Context) (*watcher.Repo, error) {
	r, err := watcher.OpenRepo(ctx, a.dir, a.env)
	switch {
	case errors.Is(err, watcher.ErrBare):
		return nil, fail(exitNoRepo, "cd to a worktree of it; git worktree add DIR makes one", "%v", err)
	case errors.Is(err, locate.ErrNotRepo):
		next := "git init, or cd to a repository"
		if dir := a.getenv("GIT_DIR"); dir != "" { // a user who sets GIT_DIR can use git commands here
			next = "aOa does not follow GIT_DIR: write the line gitdir: " + event.Path(dir).Display() +
				" into a file .git in the top folder"
		}
		return nil, fail(exitNoRepo, next, "%v", err)
	case errors.Is(err, git.ErrMissing):
		return nil, fail(exitFailed, "install git, or put its folder on the PATH", "%v", err)
	case err != nil:
		return nil, fail(exitFailed, "", "%v", err)
	}
	a.noteFolder(r)
	return r, nil
}

// known opens the repository of the current folder and finds its place. It returns an error if aoa
// init was not run there.
func (a *app) known(ctx context.Context) (*watcher.Repo, locate.Place, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, locate.Place{}, err
	}
	place := locate.Find(r.CommonDir, a.getenv)
	err = place.Known()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, place, fail(exitNoRepo, "aoa init", "aOa does not know this repository yet")
	}
	if _, stranger := errors.AsType[*locate.StrangerError](err); stranger {
		return nil, place, fail(exitNoRepo, "aoa init", "%w", err)
	}
	return r, place, err
}

// client returns a client of the repository's daemon, the same one every time. The client's first
// call starts a daemon if none is running.
func (a *app) client(ctx context.Context) (*api.Client, *watcher.Repo, error) {
	if a.opened == nil {
		r, place, err := a.known(ctx)
		if err != nil {
			return nil, nil, err
		}
		a.opened, a.openedRepo = a.dial(r, place), r
	}
	return a.opened, a.openedRepo, nil
}

// dial returns a client that starts a daemon of this build if none is running.
func (a *app) dial(r *watcher.Repo, place locate.Place) *api.Client {
	c := a.running(place)
	c.Build = build()
	c.Start = func(ctx context.Context) error { return api.Spawn(ctx, string(r.Root), a.env) }
	return c
}

// running returns a client that only talks to a running daemon and never starts one.
func (a *app) running(place locate.Place) *api.Client {
	return &api.Client{Place: place, Dir: a.dir, Patience: client.Factor()}
}

// call sends a request to the repository's daemon and returns the answer.
func call[Req, Res any](ctx context.Context, a *app, r api.Route[Req, Res], req Req) (ans Res, err error) {
	c, _, err := a.client(ctx)
	if err != nil {
		return ans, err
	}
	return api.Call(ctx, c, r, req)
}

// show sends a request to the daemon and prints the answer: as JSON with --json, else by calling
// text.
func show[Req, Res any](ctx context.Context, a *app, r api.Route[Req, Res], req Req, text func(Res)) error {
	ans, err := call(ctx, a, r, req)
	if err != nil {
		return err
	}
	return a.answer(ans, func() { text(ans) })
}

func (a *app) home() string { return cmp.Or(config.Home(a.env), os.TempDir()) }
