package hooks

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of the search for a transcript folder.
const (
	maxSlug     = 200     // letters of a folder's name before the agent cuts it
	maxProbe    = 50      // lines looked at to find a transcript's folder
	probeLength = 1 << 20 // bytes of a file looked at for it
)

// TranscriptDir is where Claude Code keeps the transcripts of sessions begun in root, given the person's home.
// Use TranscriptDirIn when CLAUDE_CONFIG_DIR is set.
func TranscriptDir(home string, root event.Root) string {
	return TranscriptDirIn(filepath.Join(home, ".claude"), root)
}

// TranscriptDirIn is TranscriptDir below the agent's own folder. Names over 200 letters end in a hash that is
// not ours to know: then the folder is found by its beginning and by the working folder in its files.
func TranscriptDirIn(config string, root event.Root) string {
	slug, projects := transcriptSlug(root), filepath.Join(config, "projects")
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

// TranscriptDirs are the folders in config that may hold sessions of any of the roots: begun at a root or in a
// folder below one. Sessions of neighbours with a like name are told apart by Transcripts, line by line.
func TranscriptDirs(config string, roots ...event.Root) []string {
	projects := filepath.Join(config, "projects")
	entries, _ := os.ReadDir(projects)
	var out []string
	for _, e := range entries {
		for _, root := range roots {
			slug := transcriptSlug(root)
			slug = slug[:min(len(slug), maxSlug)]
			if e.IsDir() && (e.Name() == slug || strings.HasPrefix(e.Name(), slug+"-")) {
				out = append(out, filepath.Join(projects, e.Name()))
				break
			}
		}
	}
	return out
}

// transcriptSlug is a folder's name as the agent makes it: everything but letters and digits is a dash.
func transcriptSlug(root event.Root) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c < 0x80 && letter(byte(c)) {
			return c
		}
		return '-'
	}, string(root))
}

// aboutRoot looks into the transcripts of a folder for one line that tells where it was written.
func aboutRoot(dir string, root event.Root) bool {
	pl := newPlace(Repo{Root: root}, "")
	for _, name := range transcriptFiles(dir) {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		in := bufio.NewReaderSize(io.LimitReader(f, probeLength), 64<<10)
		for range maxProbe {
			line, _, err := readLine(in)
			if cwd := parse(line).text("cwd"); cwd != "" {
				_, ok := pl.inside(slash(cwd))
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

// transcriptFiles lists the .jsonl files below dir, oldest change first, ties by name.
func transcriptFiles(dir string) []string {
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".jsonl" || !d.Type().IsRegular() {
			return nil // a folder that cannot be read is as good as empty
		}
		if info, err := d.Info(); err == nil {
			files = append(files, file{name, info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(files, func(a, b file) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.name
	}
	return out
}
