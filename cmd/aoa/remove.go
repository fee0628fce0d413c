package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
)

func (a *app) remove() *cobra.Command {
	var yes, all bool
	c := newCommand("remove", "undo aoa init: remove hooks, daemon and store", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			remove := a.removeHere
			if all {
				remove = a.removeAll
			}
			gone, err := remove(ctx, yes)
			return errors.Join(a.answer(map[string][]string{"removed": append([]string{}, gone...)}, func() {
				for _, store := range gone {
					fmt.Fprintln(a.out, "removed "+event.Path(store).Display())
				}
			}), err)
		})
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask; a script, which nobody answers, needs it")
	c.Flags().BoolVar(&all, "all", false, "in all repositories of this user")
	return c
}

// removeAll removes all that aOa has made for this user, and returns the stores. What cannot be
// removed in one repository stops no other one.
func (a *app) removeAll(ctx context.Context, yes bool) (gone []string, err error) {
	places, lost := locate.Stores(a.getenv)
	if len(places) > 0 && !yes {
		what := "aoa remove --all deletes everything learned in " + plural(len(places), "repository")
		if err := a.agreed(ctx, what, "aoa remove --all --yes", "removed"); err != nil {
			return nil, err
		}
	}
	done, failed := a.removeNamed(ctx, slices.DeleteFunc(hookNames(), func(n string) bool { return n == gitHook }),
		install.User)
	a.tell(done...)
	for _, p := range places {
		there := *a
		there.dir = filepath.Dir(p.CommonDir)
		var done []string
		// the store of a submodule is elsewhere
		if repo, lost := there.repo(ctx); lost != nil || repo.CommonDir != p.CommonDir {
			done, err = a.removeStore(ctx, p)
		} else {
			done, err = there.removeHere(ctx, true)
		}
		gone = append(gone, done...)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", event.Path(p.CommonDir).Display(), err))
		}
	}
	for _, store := range lost {
		a.talk("warning: %s was not found, so it was not removed: its repository was moved or deleted, or its disk is not "+
			"mounted; aoa remove in that repository removes it", event.Path(store).Display())
	}
	if len(places)+len(lost) == 0 && len(done) == 0 {
		a.talk("there was nothing to remove")
	}
	return gone, failed
}

// removeHere removes what aOa has made for the repository of the current folder, and returns the
// store.
func (a *app) removeHere(ctx context.Context, yes bool) (gone []string, err error) {
	repo, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	place := locate.Find(repo.CommonDir, a.getenv)
	known := place.Known()
	if known == nil && !yes {
		what := "aoa remove deletes everything learned in this repository (" + place.Store + ")"
		if err := a.agreed(ctx, what, "aoa remove --yes", "removed"); err != nil {
			return nil, err
		}
	}
	// Even if a settings file cannot be edited, the daemon and the store are removed, because
	// without them its hooks do nothing.
	kept := a.removeHooks(ctx, repo)
	if errors.Is(known, fs.ErrNotExist) {
		known = nil
		a.talk("there was no store")
	} else if known == nil {
		gone, known = a.removeStore(ctx, place)
	}
	return gone, errors.Join(kept, known)
}

// removeStore stops the daemon, deletes what aOa has made in the store, and returns its name.
func (a *app) removeStore(ctx context.Context, place locate.Place) (gone []string, err error) {
	held, err := a.halt(ctx, place, true)
	if err != nil && !errors.Is(err, api.ErrNoDaemon) {
		return nil, err
	}
	if runtime.GOOS == "windows" { // open files cannot be renamed or deleted there
		held.Unlock()
	}
	defer held.Unlock() // held until everything is deleted
	if filepath.Dir(place.Socket) != place.Store {
		os.Remove(place.Socket)
		os.Remove(redisSocket(place))
	}
	others, err := place.Delete()
	if err != nil {
		return nil, fmt.Errorf("delete store: %w", err)
	}
	if len(others) > 0 {
		a.talk("this stays in %s, because aOa did not make it: %s", place.Store, strings.Join(others, ", "))
	}
	if place.Forget() {
		a.talk("it was the last store: the key to its encrypted texts is deleted, too")
	}
	return []string{place.Store}, nil
}
