package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

func (a *app) snapshot() *cobra.Command {
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "copy what was learned from sessions to another clone",
		Long: `A snapshot is one file with what agents and people did in this clone. It has no texts of prompts and
commands, only their words, and file names relative to the repository. Another clone learns from it as if
it had happened there. Importing it twice counts once. It leaves git's history out: every clone has that.`,
		Example: `  aoa snapshot export team.aoa
  aoa snapshot import team.aoa`,
	}
	c.AddCommand(a.snapshotExport(), a.snapshotImport())
	return c
}

func (a *app) snapshotExport() *cobra.Command {
	var overwrite bool
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "write a snapshot to a file",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			name := a.abs(args[0])
			if _, err := os.Lstat(name); err == nil && !overwrite {
				return fail(exitFailed, "aoa snapshot export --overwrite "+args[0], "%s exists", args[0])
			}
			n := 0
			_, err = replaceFile("snapshot", name, func(to io.Writer) (err error) {
				n, err = a.export(c.Context(), client, to)
				return err
			})
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"file": args[0], "events": n}, func() {
				fmt.Fprintf(a.out, "%s events in %s\n", count(int64(n)), args[0])
			})
		},
	}
	c.Flags().BoolVar(&overwrite, "overwrite", false, "replace the file if it exists")
	return c
}

func (a *app) export(ctx context.Context, client *api.Client, to io.Writer) (int, error) {
	w, err := newSnapshotWriter(to)
	if err != nil {
		return 0, err
	}
	bar := a.progress("snapshot", "events")
	defer bar.Finish() //nolint:errcheck // only a progress bar
	for after := int64(0); ; {
		page, err := api.Call(ctx, client, api.Export, api.ExportRequest{After: after})
		if err != nil {
			return 0, err
		}
		for _, e := range page.Events {
			if err := w.add(e); err != nil {
				return 0, err
			}
		}
		_ = bar.Set(w.events)
		if after = page.Next; after == 0 {
			return w.events, w.close()
		}
	}
}

// importedBatch is how many events go in one request.
const importedBatch = 500

func (a *app) snapshotImport() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "learn from a snapshot of another clone of this repository",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, repo, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			st, err := api.Call(c.Context(), client, api.Status, api.None{})
			if err != nil {
				return err
			}
			if st.Backend != "embedded" {
				return fail(exitFailed, "clones that share a server share what they learn",
					"this clone shares a server: an import would count what is there twice")
			}
			files, err := repo.Files(c.Context())
			if err != nil {
				return err
			}
			name := a.abs(args[0])
			total, err := checkSnapshot(name, index.NewTree(files), force)
			if err != nil {
				return err
			}
			sum, err := a.importSnapshot(c.Context(), client, name, total)
			if err != nil {
				return err
			}
			return a.answer(sum, func() {
				fmt.Fprintf(a.out, "%s events learned, %s were known, %s are about ignored files\n",
					count(int64(sum.Accepted)), count(int64(sum.Duplicate)), count(int64(sum.Ignored)))
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "import it even if hardly any of its files is here")
	return c
}

// checkSnapshot reads the whole file before anything is learned from it.
func checkSnapshot(name string, tree *index.Tree, force bool) (int, error) {
	named, here := map[event.Path]bool{}, 0
	n, err := readSnapshot(name, func(e event.Event) error {
		for _, p := range e.Paths {
			if !named[p] {
				named[p] = true
				if tree.Has(p) {
					here++
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, fail(exitFailed, "aoa snapshot export in the other clone writes a new one; nothing was learned",
			"read snapshot %s: %v", name, err)
	}
	if !force && here*10 < len(named) {
		return 0, fail(exitFailed, "aoa snapshot import --force, if it is of this repository",
			"of the %d files in the snapshot %d are here: it seems to be of another repository", len(named), here)
	}
	return n, nil
}

func (a *app) importSnapshot(ctx context.Context, client *api.Client, name string, total int) (api.EventsAnswer, error) {
	var sum api.EventsAnswer
	bar := a.progress("snapshot", "events")
	bar.ChangeMax(total)
	defer bar.Finish() //nolint:errcheck // only a progress bar
	var batch []event.Event
	post := func() error {
		if len(batch) == 0 {
			return nil
		}
		ans, err := api.Call(ctx, client, api.Events, batch)
		sum.Accepted, sum.Duplicate, sum.Ignored = sum.Accepted+ans.Accepted, sum.Duplicate+ans.Duplicate, sum.Ignored+ans.Ignored
		_ = bar.Add(len(batch))
		batch = batch[:0]
		return err
	}
	_, err := readSnapshot(name, func(e event.Event) error {
		if batch = append(batch, e); len(batch) == importedBatch {
			return post()
		}
		return nil
	})
	err = errors.Join(err, post())
	return sum, err
}

// abs is the absolute name of a file of the command line.
func (a *app) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}
