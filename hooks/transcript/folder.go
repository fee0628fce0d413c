package transcript

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxSlug is how many letters a folder's name has before Claude Code cuts it and adds a hash that
// is not ours to know.
const maxSlug = 200

// Dir is where Claude Code keeps the transcripts of sessions begun in root, "" if that is not
// known; config is the agent's own folder.
func Dir(config string, root event.Root) string {
	slug := slugOf(root)
	if len(slug) > maxSlug {
		return ""
	}
	return filepath.Join(config, "projects", slug)
}

// slugOf is a folder's name as the agent makes it: everything but letters and digits is a dash.
func slugOf(root event.Root) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '-'
	}, string(root))
}

// files lists the .jsonl files below dir, oldest change first, ties by name.
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
			return nil // a folder that cannot be read is as good as empty
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
