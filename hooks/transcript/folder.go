package transcript

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxSlug is the length of the longest folder name that Claude Code uses as it is. It cuts a longer
// one and adds a hash that aOa cannot compute.
const maxSlug = 200

// Dir returns the folder in which Claude Code keeps transcripts of sessions that were started in
// root, "" if it is not known. config is the agent's own folder.
func Dir(config string, root event.Root) string {
	slug := slugOf(root)
	if len(slug) > maxSlug {
		return ""
	}
	return filepath.Join(config, "projects", slug)
}

// slugOf returns the name that the agent gives the folder of a worktree: everything but letters and
// digits becomes a dash.
func slugOf(root event.Root) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '-'
	}, string(root))
}

// files lists the .jsonl files below dir, the one that was changed first first, equal ones by name.
func files(dir string) []string {
	if dir == "" {
		return nil
	}
	type file struct {
		name    string
		changed time.Time
	}
	var found []file
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".jsonl" || !d.Type().IsRegular() {
			return nil // a folder that cannot be read counts as empty
		}
		if info, err := d.Info(); err == nil {
			found = append(found, file{name, info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(found, func(a, b file) int {
		if c := a.changed.Compare(b.changed); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.name
	}
	return out
}
