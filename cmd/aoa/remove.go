package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

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
		Long: `Removes aOa's hooks from the files of other programs, stops the daemon, and deletes the store with all
that was learned. The other contents of those files stay as they were.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			repo, err := a.repo(c.Context())
			if err != nil {
				return err
			}
			place := locate.Find(repo.CommonDir, a.getenv)
			there := place.Exists()
			if there && !yes && !a.agree("delete "+place.Store+" and all that was learned?") {
				return fail(exitFailed, "aoa remove --yes", "nothing was removed")
			}
			// A settings file that cannot be edited keeps neither daemon nor store: without them its hooks are silent.
			kept := a.removeHooks(c.Context(), repo)
			held, err := a.halt(c.Context(), place, true)
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
			os.Remove(filepath.Join(a.registry(), locate.Fingerprint(place.Store)))
			os.Remove(a.registry()) // if no other daemon runs
			last := locate.RemoveStore(place.Store, a.getenv)
			// Under another name nothing is added any more by hooks, and nothing is deleted of a store that is made meanwhile.
			doomed := fmt.Sprintf("%s.removed-%d", place.Store, os.Getpid())
			if os.Rename(place.Store, doomed) != nil {
				doomed = place.Store
			}
			if err := os.RemoveAll(doomed); err != nil {
				return fmt.Errorf("delete store: %w", err)
			}
			return errors.Join(kept, a.answer(map[string]string{"removed": place.Store}, func() {
				if !there {
					a.talk("there was no store")
					return
				}
				fmt.Fprintln(a.out, "removed "+event.Path(place.Store).Display())
				if last {
					a.talk("it was the last store: the key that sealed its texts is deleted, too")
				}
			}))
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}
