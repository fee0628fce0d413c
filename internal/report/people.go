package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/index"
)

// People says what only one person knows.
type People struct {
	Authors int        `json:"authors"` // in the whole history
	Active  int        `json:"active"`  // in the year before the newest commit
	Folders []Folder   `json:"folders"`
	Files   []OneKnows `json:"files"`
	Alone   int        `json:"alone"`  // files with commits of one author only
	Shared  int        `json:"shared"` // and of several
}

// Folder counts the files with commits in a folder.
type Folder struct {
	Folder string `json:"folder"` // "" is the root
	Alone  int    `json:"alone"`  // of one author only
	Away   int    `json:"away"`   // of these, whose author has written nothing for a year
	Files  int    `json:"files"`
}

// OneKnows is a file that only one author ever touched, who has written nothing in the year before the newest commit.
type OneKnows struct {
	File    string    `json:"file"`
	By      string    `json:"by"`
	Commits int       `json:"commits"`
	Last    time.Time `json:"last"`
}

const (
	leastKnown  = 3 // commits from which a file is worth mentioning
	oneKnows    = 15
	mostFolders = 12
	mostParts   = 5   // subfolders that are taken out of one folder
	rest        = "…" // the name of what is left
)

// known is what the history says about one file.
type known struct {
	by      string
	several bool
	commits int
	last    time.Time
}

// people finds the files of one author. Robots do not count, and only sources and documents do.
func (h *history) people() *People {
	files, last := map[int32]*known{}, map[string]time.Time{}
	for _, c := range h.changes {
		if c.by == "" {
			continue
		}
		last[c.by] = c.at
		for _, f := range c.files {
			if kind := index.KindOf(h.names[f]); kind != index.KindSource && kind != index.KindProse {
				continue
			}
			k := files[f]
			if k == nil {
				k = &known{by: c.by}
				files[f] = k
			}
			k.several = k.several || k.by != c.by
			k.commits++
			k.last = c.at
		}
	}
	if len(files) == 0 {
		return nil
	}
	p := &People{Authors: len(last)}
	for _, at := range last {
		if at.After(h.year) {
			p.Active++
		}
	}
	away := func(k *known) bool { return !last[k.by].After(h.year) }
	var alone []int32
	for _, f := range slices.Sorted(maps.Keys(files)) {
		if k := files[f]; k.several {
			p.Shared++
		} else if p.Alone++; k.commits >= leastKnown && away(k) {
			alone = append(alone, f)
		}
	}
	slices.SortStableFunc(alone, func(a, b int32) int { return cmp.Compare(files[b].commits, files[a].commits) })
	for _, f := range firsts(alone, oneKnows) {
		k := files[f]
		p.Files = append(p.Files, OneKnows{File: h.name(f), By: text(k.by), Commits: k.commits, Last: k.last.UTC()})
	}
	for folder, list := range h.folders(slices.Sorted(maps.Keys(files))) {
		row := Folder{Folder: text(folder), Files: len(list)}
		for _, f := range list {
			if k := files[f]; !k.several {
				row.Alone++
				if away(k) {
					row.Away++
				}
			}
		}
		p.Folders = append(p.Folders, row)
	}
	slices.SortFunc(p.Folders, func(a, b Folder) int {
		return cmp.Or(cmp.Compare(b.Alone, a.Alone),
			cmp.Compare(a.Folder, b.Folder))
	})
	return p
}

// folders divides files into at most mostFolders folders: the largest folder is divided first, its largest
// subfolders become folders of their own. The rest of a divided folder is called FOLDER/….
func (h *history) folders(files []int32) map[string][]int32 {
	out := map[string][]int32{"": files}
	whole := map[string]bool{} // has no subfolder left
	for len(out) < mostFolders {
		largest, found := "", false
		for _, f := range slices.Sorted(maps.Keys(out)) {
			if !whole[f] && (!found || len(out[f]) > len(out[largest])) {
				largest, found = f, true
			}
		}
		if !found {
			break
		}
		parts := map[string][]int32{}
		left := strings.TrimPrefix(largest+"/"+rest, "/")
		for _, id := range out[largest] {
			part := left // a file right in the folder
			if first, _, deeper := strings.Cut(strings.TrimPrefix(string(h.names[id]), largest+"/"), "/"); deeper {
				part = strings.TrimPrefix(largest+"/"+first, "/")
			}
			parts[part] = append(parts[part], id)
		}
		whole[left], whole[largest] = true, true
		if len(parts[left]) == len(out[largest]) {
			continue
		}
		delete(out, largest)
		names := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(parts[b]),
				len(parts[a])), cmp.Compare(a, b))
		})
		given := 0
		for _, part := range names {
			if part != left && given < mostParts && len(out) < mostFolders-1 {
				given++
				out[part] = parts[part]
			} else {
				out[left] = append(out[left], parts[part]...)
			}
		}
	}
	return out
}
