package recorded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
)

// LastQuarter is the share of a history that is only learned. The later commits are used for
// measuring.
const LastQuarter = 0.75

// History returns the history of the clone of OWNER/NAME in a folder.
func History(ctx context.Context, dir, name string) (eval.Source, error) {
	clone := CloneOf(dir, name)
	if clone == "" {
		return eval.Source{}, fmt.Errorf("no clone of %s in %s", name, dir)
	}
	return eval.History(ctx, name, clone, os.Environ(), nil)
}

// EachHistory calls fn for the history of each of the named clones, the i-th, as Each does.
func EachHistory(ctx context.Context, dir string, names []string,
	fn func(ctx context.Context, i int, s eval.Source) error) error {
	return Each(ctx, len(names), func(ctx context.Context, i int) error {
		s, err := History(ctx, dir, names[i])
		if err != nil {
			return err
		}
		return fn(ctx, i, s)
	})
}

// CloneOf finds the clone of OWNER/NAME in a folder: OWNER+NAME, OWNER/NAME or NAME, bare or not;
// "" if none exists.
func CloneOf(dir, name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, n := range []string{strings.ReplaceAll(name, "/", "+"), name, base} {
		for _, place := range []string{n, n + ".git", filepath.Join(n, "repo")} {
			for _, sign := range []string{"HEAD", ".git"} {
				if _, err := os.Stat(filepath.Join(dir, place, sign)); err == nil {
					return filepath.Join(dir, place)
				}
			}
		}
	}
	return ""
}

// Sources reads the traces of a folder and completes them from the clones that another folder has.
// It says on stderr which of them have no clone.
func Sources(ctx context.Context, traces, repos string) ([]Source, error) {
	all, err := Traces(traces)
	if err != nil || repos == "" {
		return all, err
	}
	for i := range all {
		dir := CloneOf(repos, all[i].Name)
		if dir == "" {
			fmt.Fprintf(os.Stderr, "no clone of %s in %s: its contents are not known\n", all[i].Name, repos)
			continue
		}
		if err := all[i].complete(ctx, dir, os.Environ()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// complete adds what a clone knows: which files commits deleted and renamed, and the contents of
// files. A source without commits gets those of the clone.
func (s *Source) complete(ctx context.Context, dir string, env []string) error {
	own, err := eval.History(ctx, s.Name, dir, env, nil)
	if err != nil {
		return err
	}
	if len(s.Commits) > 0 {
		own.Commits = merge(s.Commits, own.Commits)
	}
	s.Commits, s.Clone = own.Commits, own.Clone
	return nil
}

// merge adds to the commits of a trace what only git knows of them.
func merge(traced, history []event.Event) (out []event.Event) {
	commits, renames := map[string]event.Event{}, map[string]event.Event{}
	for _, e := range history {
		if sha, rename := strings.CutPrefix(e.ID, "rename:"); rename {
			renames[short(sha)] = e
		} else {
			commits[short(strings.TrimPrefix(e.ID, "commit:"))] = e
		}
	}
	for _, e := range traced {
		sha := short(strings.TrimPrefix(e.ID, "commit:"))
		if r, renamed := renames[sha]; renamed {
			out = append(out, r)
		}
		if c, known := commits[sha]; known {
			b, _ := e.Body.(event.Commit)
			b.Gone = c.Gone()
			b.Paths = slices.DeleteFunc(slices.Clone(b.Paths),
				func(p event.Path) bool { return slices.Contains(b.Gone, p) })
			e.Body = b
		}
		out = append(out, e)
	}
	return out
}
