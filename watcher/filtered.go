package watcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
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
	idx, err := r.indexStats(ctx, withFilter)
	if err != nil {
		return nil, err
	}
	out := found[:0]
	for _, s := range found {
		st, known := idx[s.path]
		if _, found := slices.BinarySearch(withFilter, s.path); found && known && st.same(r.Root.Abs(s.path)) {
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

// indexStat is a file's size and time in the index.
type indexStat struct {
	size    uint32 // the index keeps 32 bits
	changed time.Time
}

// same reports whether the file has this size and time. Some gits write the time without nanoseconds.
func (s indexStat) same(file string) bool {
	fi, err := os.Lstat(file)
	if err != nil || uint32(fi.Size()) != s.size { // as the index does
		return false
	}
	return fi.ModTime().Equal(s.changed) ||
		s.changed.Nanosecond() == 0 && fi.ModTime().Truncate(time.Second).Equal(s.changed)
}

// maxNamed is how many files a command line names. For more the whole index is listed.
const maxNamed = 100

// indexStats reads sizes and times of files from the index.
func (r *Repo) indexStats(ctx context.Context, files []event.Path) (map[event.Path]indexStat, error) {
	args := []string{"--literal-pathspecs", "ls-files", "-z", "--cached", "--debug", "--"}
	if len(files) <= maxNamed {
		args = append(args, event.Strings(files)...)
	}
	out, err := r.run(ctx, args...)
	if err != nil {
		return nil, err
	}
	stats, err := parseIndexStats(out)
	if err != nil { // the form may change: then git's status holds
		return nil, nil // see above
	}
	return stats, nil
}

var errIndexStats = errors.New("git ls-files --debug printed what aOa does not know")

// parseIndexStats reads "path\0" and five lines, the second "  mtime: <s>:<ns>", the last "  size: <n>\tflags: <x>".
func parseIndexStats(out []byte) (map[event.Path]indexStat, error) {
	stats := map[event.Path]indexStat{}
	for len(out) > 0 {
		name, rest, ok := bytes.Cut(out, []byte{0})
		lines := bytes.SplitN(rest, []byte{'\n'}, 6)
		if !ok || len(lines) != 6 {
			return nil, fmt.Errorf("%w: %.40q", errIndexStats, out)
		}
		out = lines[5]
		var sec, nano int64
		var s indexStat
		if _, err := fmt.Sscanf(string(lines[1]), "  mtime: %d:%d", &sec, &nano); err != nil {
			return nil, fmt.Errorf("%w: %.40q", errIndexStats, lines[1])
		}
		if _, err := fmt.Sscanf(string(lines[4]), "  size: %d", &s.size); err != nil {
			return nil, fmt.Errorf("%w: %.40q", errIndexStats, lines[4])
		}
		if p, err := event.NewPath(string(name)); err == nil {
			s.changed = time.Unix(sec, nano)
			stats[p] = s
		}
	}
	return stats, nil
}
