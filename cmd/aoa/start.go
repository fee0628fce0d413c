package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/locate"
)

func (a *app) start() *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "start the daemon (commands that need it start it too)",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			state := "started"
			if conn, err := api.Dial(c.Context(), client.Place); err == nil {
				conn.Close()
				state = "already_running"
			}
			st, err := api.Call(c.Context(), client, api.Status, api.None{})
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"state": state, "pid": st.Pid}, func() {
				fmt.Fprintf(a.out, "%s, pid %d\n", strings.ReplaceAll(state, "_", " "), st.Pid)
			})
		},
	}
}

func (a *app) stop() *cobra.Command {
	var all, force bool
	c := &cobra.Command{
		Use:   "stop",
		Short: "stop the daemon after it has written everything",
		Long: `Exits 1 if events cannot be written, for example on a full disk. The daemon then continues with the
events in memory. Exits 6 if the daemon does not answer.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			places := a.running()
			if !all {
				client, _, err := a.client(c.Context(), true)
				if err != nil {
					return err
				}
				places = []locate.Place{client.Place}
			}
			stopped := 0
			var failed []error
			for _, p := range places {
				err := a.halt(c.Context(), p, force)
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
				fmt.Fprintf(a.out, "stopped %d\n", stopped)
			})
			return errors.Join(append(failed, err)...)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "all daemons of this user")
	c.Flags().BoolVar(&force, "force", false, "lose what cannot be written, and kill a daemon that does not answer")
	return c
}

// halt asks a daemon to stop, and waits until it has written everything and released its lock. With force it ends in
// any case, and what it cannot write is lost.
func (a *app) halt(ctx context.Context, p locate.Place, force bool) error {
	limit := stopTime * time.Duration(client.Factor())
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var asked bool
	for {
		ans, err := api.Call(ctx, a.clientOf(p), api.Stop, api.StopRequest{Force: force})
		if force {
			err = a.kill(err)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, api.ErrNoDaemon) {
			return err
		}
		if ans.Unwritten > 0 {
			a.talk("%d events are lost: %s", ans.Unwritten, ans.Why)
		}
		asked = asked || err == nil
		// A daemon that no longer listens may still be writing its last snapshot, or another one may start: then it is
		// asked again.
		step, cancel := context.WithTimeout(ctx, askAgain)
		gone := daemon.Gone(step, p) == nil
		cancel()
		switch {
		case gone && asked:
			return nil
		case gone:
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("the daemon did not stop within %s", limit)
		}
	}
}

// kill kills the daemon that the error names because it does not answer. It returns other errors.
func (a *app) kill(err error) error {
	var silent *api.Silent
	if !errors.As(err, &silent) || silent.Pid == 0 {
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

// How long a daemon may take to stop, and when it is asked again.
const (
	stopTime = 15 * time.Second
	askAgain = 500 * time.Millisecond
)

// registry is the folder in which each daemon notes where it runs, for status --all and stop --all.
func (a *app) registry() string {
	return filepath.Join(cmp.Or(locate.StateFolder(a.getenv), filepath.Join(os.TempDir(), "aoa")), "daemons")
}

func (a *app) home() string { return cmp.Or(config.Home(a.env), os.TempDir()) }
