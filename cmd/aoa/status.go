package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/team"
)

func (a *app) status() *cobra.Command {
	var all bool
	c := newCommand("status", "show what was learned, and whether all is well", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			if all {
				return a.statusAll(ctx)
			}
			repo, place, err := a.known(ctx)
			if err != nil {
				return err
			}
			st, err := api.Call(ctx, a.running(place), api.Status, api.None{})
			if errors.Is(err, api.ErrNoDaemon) {
				st, err = api.StatusAnswer{Repo: string(repo.Root), Store: place.Store, DB: folderSize(place.Store)}, nil
			}
			if err != nil {
				return err
			}
			return a.answer(st, func() { a.statusTable(st) })
		})
	c.Flags().BoolVar(&all, "all", false, "all daemons of this user")
	return c
}

func (a *app) statusTable(st api.StatusAnswer) {
	if st.Pid == 0 {
		a.table("", cells("repository", st.Repo), cells("store", fmt.Sprintf("%s (%s)", st.Store, size(st.DB))),
			cells("daemon", "not running; the next command or hook that needs it starts it"))
		return
	}
	rows := []string{
		cells("repository", st.Repo),
		cells("store", fmt.Sprintf("%s (%s; sessions and saves up to %s)", st.Store, size(st.DB), size(st.KeepBytes))),
		cells("daemon", fmt.Sprintf("pid %d, up %s, %s resident, version %s", st.Pid, seconds(st.Uptime), size(st.RSS),
			st.Version)),
		cells("learned", fmt.Sprintf("%s, %s, %s", plural(int(st.Commits), "commit"), plural(int(st.Sessions), "session"),
			plural(int(st.Events), "other event"))),
		cells("files", count(st.Files)),
		cells("history", readSoFar(st)),
		cells("saves", saves(st)),
		cells("hints", fmt.Sprintf("shown if their probability is at least %.2f", st.Threshold)),
	}
	rows = append(rows, teamRows(st.Team)...)
	if !st.Paused.IsZero() {
		rows = append(rows, cells("paused", "until "+stamp(st.Paused)+"; aoa pause off ends it"))
	}
	a.table("", rows...)
	if st.WatchHint != "" {
		a.talk("hint: %s", st.WatchHint)
	}
	for _, w := range st.Warnings {
		a.talk("warning: %s", w)
	}
}

// teamRows describe the exchange with other clones. None exist if nothing is or was exchanged.
func teamRows(t team.Status) []string {
	if t.Server == "" && len(t.Origins) == 0 {
		return nil
	}
	state := "not connected"
	switch {
	case t.Server == "":
		state = "no redis_url"
	case t.Linked:
		state = "connected"
	}
	rows := []string{cells("team", fmt.Sprintf("%s, %s; %s batches wait", cmp.Or(t.Server, "none"), state,
		count(t.Waiting)))}
	for _, name := range slices.Sorted(maps.Keys(t.Origins)) {
		o := t.Origins[name]
		if o.Events+o.Refused == 0 {
			continue
		}
		text := fmt.Sprintf("%s: %s events", name, count(o.Events))
		if !o.Newest.IsZero() {
			text += ", the newest of " + stamp(o.Newest)
		}
		if o.Refused > 0 {
			text += fmt.Sprintf("; %s refused: %s", count(o.Refused), o.Why)
		}
		rows = append(rows, cells("", text))
	}
	return rows
}

// saves tells how aOa notices saved files.
func saves(st api.StatusAnswer) string {
	text := map[string]string{"on": "watched", "poll": "polled, seen within 10 s", "off": "not watched"}[st.Watch]
	if st.WatchWhy != "" {
		text += ": " + st.WatchWhy
	}
	return text
}

// readSoFar says how far the history is read: first which files commits changed, then what they
// changed in them.
func readSoFar(st api.StatusAnswer) string {
	text := progress(st.Import)
	if st.Import.State == "done" && st.Sketches.State == "running" {
		text += fmt.Sprintf("; reading what its newest commits changed, %s of %s", count(st.Sketches.Done),
			count(st.Sketches.Total))
	}
	return text
}

func progress(p api.Progress) string {
	switch {
	case p.State == "failed":
		return "failed: " + p.Error
	case p.State == "running" && p.Total > 0:
		return fmt.Sprintf("reading, %s of %s", count(p.Done), count(p.Total))
	case p.State == "running":
		return "reading new commits"
	}
	return p.State
}

func (a *app) statusAll(ctx context.Context) error {
	found := []api.StatusAnswer{}
	silentOnes := 0
	places, _ := locate.Stores(a.getenv)
	for _, p := range places {
		st, err := api.Call(ctx, a.running(p), api.Status, api.None{})
		var silent *api.Silent
		switch {
		case err == nil:
			found = append(found, st)
		case errors.As(err, &silent):
			a.talk("warning: %v", silent)
			silentOnes++
		}
	}
	return a.answer(found, func() {
		if len(found) == 0 {
			if silentOnes == 0 {
				a.talk("no daemon is running")
			}
			return
		}
		memory, disk := int64(0), int64(0)
		printList(a, "pid\tup\tmemory\tdisk\tevents\trepository", found, func(st api.StatusAnswer) []any {
			stored := folderSize(st.Store)
			memory, disk = memory+st.RSS, disk+stored
			return []any{st.Pid, seconds(st.Uptime), size(st.RSS), size(stored), count(st.Events), st.Repo}
		})
		if len(found) > 1 {
			fmt.Fprintf(a.out, "%s: %s of memory, %s on disk\n", plural(len(found), "daemon"), size(memory), size(disk))
		}
	})
}

// folderSize returns the number of bytes in the files of a folder. Files that cannot be read are
// not counted.
func folderSize(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil {
				sum += st.Size()
			}
		}
		return nil
	})
	return sum
}
