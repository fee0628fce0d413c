package watcher

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// trustStat corrects the status of files with a filter. git compares their contents without the filter (aOa never runs
// one). So an unchanged file of Git LFS differs from its pointer whenever git compares contents, which it does for
// files as young as the index, as after a clone. Such a file is unchanged if its size and time are those of the index.
// A file that was only touched counts as changed until the user's own git refreshes the index.
func (r *Repo) trustStat(ctx context.Context, found []fileStatus) ([]fileStatus, error) {
	var withFilter []event.Path
	for _, s := range found {
		if s.disk == 'M' && !s.mode && !s.conflict {
			withFilter = append(withFilter, s.path)
		}
	}
	withFilter, err := r.filtered(ctx, withFilter)
	if err != nil || len(withFilter) == 0 {
		return found, err
	}
	written := r.asIndexed(withFilter)
	out := found[:0]
	for _, s := range found {
		if written[s.path] {
			if s.disk = '.'; s.index == '.' {
				continue
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// filtered returns those of the files that a filter driver applies to, sorted.
func (r *Repo) filtered(ctx context.Context, files []event.Path) ([]event.Path, error) {
	if len(files) == 0 {
		return nil, nil
	}
	drivers, err := r.git.Filters(ctx, string(r.Root))
	if err != nil || len(drivers) == 0 {
		return nil, err
	}
	var out []event.Path
	err = r.git.Stream(ctx, string(r.Root), strings.Join(event.Strings(files), "\x00")+"\x00", func(rd io.Reader) error {
		answer, err := io.ReadAll(rd)
		fields := strings.Split(string(answer), "\x00") // path, attribute, value
		for ; len(fields) >= 3; fields = fields[3:] {
			if p, bad := event.NewPath(fields[0]); bad == nil && slices.Contains(drivers, fields[2]) {
				out = append(out, p)
			}
		}
		return err
	}, "check-attr", "-z", "--stdin", "filter")
	slices.Sort(out)
	return out, err
}

// maxIndex is the size of an index that is read here, in bytes: some two million files.
const maxIndex = 256 << 20

// asIndexed returns those of the files that have the size and time of the index, none if go-git cannot read it (SHA-256,
// a split index): then git's status holds.
func (r *Repo) asIndexed(files []event.Path) map[event.Path]bool {
	raw, err := regularfile.Read(filepath.Join(r.GitDir, "index"), regularfile.NoLinks, maxIndex)
	var idx index.Index
	if err != nil || index.NewDecoder(bytes.NewReader(raw)).Decode(&idx) != nil {
		return nil
	}
	out := map[event.Path]bool{}
	for _, e := range idx.Entries {
		p := event.Path(e.Name)
		if _, found := slices.BinarySearch(files, p); !found {
			continue
		}
		fi, err := os.Lstat(r.Root.Abs(p))
		out[p] = err == nil && uint32(fi.Size()) == e.Size && // the index keeps 32 bits
			(fi.ModTime().Equal(e.ModifiedAt) || // some gits write the time without nanoseconds
				e.ModifiedAt.Nanosecond() == 0 && fi.ModTime().Truncate(time.Second).Equal(e.ModifiedAt))
	}
	return out
}
