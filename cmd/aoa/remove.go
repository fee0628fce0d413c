package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
)

func (a *app) remove() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "remove",
		Short: "undo aoa init: hooks, daemon and store",
		Long: `Removes aOa's hooks from the files of other programs, stops the daemon, and deletes the files that aOa made
in the store, with all that was learned. Everything else stays as it was.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.removeAll(c.Context(), yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) removeAll(ctx context.Context, yes bool) error {
	repo, err := a.repo(ctx)
	if err != nil {
		return err
	}
	place := locate.Find(repo.CommonDir, a.getenv)
	known := place.Known()
	if known == nil && !yes && !a.agree("delete "+place.Store+" and all that was learned?") {
		return fail(exitFailed, "aoa remove --yes", "nothing was removed")
	}
	// A settings file that cannot be edited keeps neither daemon nor store: without them its hooks are silent.
	kept := a.removeHooks(ctx, repo)
	if errors.Is(known, fs.ErrNotExist) {
		known = nil
		a.talk("there was no store")
	} else if known == nil {
		known = a.removeStore(ctx, place)
	}
	return errors.Join(kept, known)
}

// removeStore stops the daemon and deletes what aOa has made in the store.
func (a *app) removeStore(ctx context.Context, place locate.Place) error {
	held, err := a.halt(ctx, place, true)
	if err != nil && !errors.Is(err, api.ErrNoDaemon) {
		return err
	}
	if runtime.GOOS == "windows" { // open files cannot be renamed or deleted there
		held.Unlock()
	}
	defer held.Unlock() // until all is deleted
	if filepath.Dir(place.Socket) != place.Store {
		os.Remove(place.Socket)
		os.Remove(redisSocket(place))
	}
	others, err := place.Delete()
	if err != nil {
		return fmt.Errorf("delete store: %w", err)
	}
	last := place.Forget()
	return a.answer(map[string]string{"removed": place.Store}, func() {
		fmt.Fprintln(a.out, "removed "+event.Path(place.Store).Display())
		if len(others) > 0 {
			a.talk("this stays in %s, because aOa did not make it: %s", place.Store, strings.Join(others, ", "))
		}
		if last {
			a.talk("it was the last store: the key that sealed its texts is deleted, too")
		}
	})
}
