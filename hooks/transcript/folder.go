package transcript

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Bounds of the search for a transcript folder.
const (
	maxSlug     = 200     // letters of a folder's name before the agent cuts it
	maxProbe    = 50      // lines read to find a transcript's folder
	probeLength = 1 << 20 // bytes of a file read for it
)

// Dir is where Claude Code keeps the transcripts of sessions begun in root; config is the agent's own folder. Names
// over 200 letters end in a hash that is not ours to know: then the folder is found by its beginning and by the
// working folder in its files.
func Dir(config string, root event.Root) string {
	slug, projects := slugOf(root), filepath.Join(config, "projects")
	if len(slug) <= maxSlug {
		return filepath.Join(projects, slug)
	}
	slug = slug[:maxSlug]
	entries, _ := os.ReadDir(projects)
	for _, e := range entries {
		dir := filepath.Join(projects, e.Name())
		if e.IsDir() && strings.HasPrefix(e.Name(), slug) && aboutRoot(dir, root) {
			return dir
		}
	}
	return filepath.Join(projects, slug)
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

// aboutRoot looks into the transcripts of a folder for one line that says where it was written.
func aboutRoot(dir string, root event.Root) bool {
	at := hooks.Repo{Root: root}.Locator("")
	for _, name := range files(dir) {
		f, err := regularfile.Open(name, regularfile.NoLinks)
		if err != nil {
			continue
		}
		in := bufio.NewReaderSize(io.LimitReader(f, probeLength), 64<<10)
		for range maxProbe {
			text, _, _, err := readLine(in)
			var l line
			if parse(text, &l); l.Cwd != "" {
				_, ok := at.Inside(index.Slash(l.Cwd))
				f.Close()
				return ok
			}
			if err != nil {
				break
			}
		}
		f.Close()
	}
	return false
}

// files lists the .jsonl files below dir, oldest change first, ties by name.
func files(dir string) []string {
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
