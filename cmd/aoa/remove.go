package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
			defer held.Unlock() // it may be deleted by then
			if filepath.Dir(place.Socket) != place.Store {
				os.Remove(place.Socket)
				os.Remove(redisSocket(place))
			}
			os.Remove(filepath.Join(a.registry(), locate.Fingerprint(place.Store)))
			if err := os.RemoveAll(place.Store); err != nil {
				return fmt.Errorf("delete store: %w", err)
			}
			os.Remove(a.registry()) // if no other daemon runs
			last := locate.RemoveStore(place.Store, a.getenv)
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
