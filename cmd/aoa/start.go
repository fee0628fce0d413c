package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/daemon"
)

func (a *app) start() *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "start the daemon (any command does it on demand)",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			quiet, _, err := a.client(c.Context(), true)
			if err != nil {
				return err
			}
			state := "started"
			if conn, err := api.Dial(c.Context(), quiet.Place); err == nil {
				conn.Close()
				state = "already_running"
			}
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			st, err := api.Call(c.Context(), client, api.Status, api.None{})
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"state": state, "pid": st.Pid}, func() { fmt.Fprintf(a.out, "%s, pid %d\n", human(state), st.Pid) })
		},
	}
}

func human(state string) string {
	if state == "already_running" {
		return "already running"
	}
	return state
}

func (a *app) stop() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "stop",
		Short: "stop the daemon; it writes everything first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			places := a.running()
			if !all {
				client, _, err := a.client(c.Context(), true)
				if err != nil {
					return err
				}
				places = []api.Place{client.Place}
			}
			stopped := 0
			for _, p := range places {
				err := a.halt(c.Context(), p)
				if err != nil && !errors.Is(err, api.ErrNoDaemon) {
					return err
				}
				if err == nil {
					stopped++
				}
			}
			return a.answer(map[string]any{"stopped": stopped}, func() {
				if stopped == 0 {
					fmt.Fprintln(a.out, "not running")
					return
				}
				fmt.Fprintf(a.out, "stopped %d\n", stopped)
			})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every daemon of this user")
	return c
}

// halt asks a daemon to stop and waits until it has written everything and let go of its lock.
func (a *app) halt(ctx context.Context, p api.Place) error {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	var asked bool
	for {
		_, err := api.Call(ctx, &api.Client{Place: p}, api.Stop, api.StopRequest{})
		if err != nil && !errors.Is(err, api.ErrNoDaemon) {
			return err
		}
		asked = asked || err == nil
		// One that listens no more may still be writing its last snapshot, or begin anew: then it is asked again.
		step, cancel := context.WithTimeout(ctx, askAgain)
		gone := daemon.Gone(step, p) == nil
		cancel()
		switch {
		case gone && asked:
			return nil
		case gone:
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("the daemon did not stop within %s", stopTime)
		}
	}
}

// How long a daemon may take to stop, and when it is asked again.
const (
	stopTime = 15 * time.Second
	askAgain = 500 * time.Millisecond
)

// registry is the folder in which each daemon notes where it runs, for status --all and stop --all.
func registry(env []string) string {
	a := app{env: env}
	state := a.getenv("XDG_STATE_HOME")
	if state == "" {
		state = filepath.Join(a.home(), ".local", "state")
	}
	return filepath.Join(state, "aoa", "daemons")
}

func (a *app) home() string {
	if h := a.getenv("HOME"); h != "" {
		return h
	}
	if h := a.getenv("USERPROFILE"); h != "" {
		return h
	}
	return os.TempDir()
}
