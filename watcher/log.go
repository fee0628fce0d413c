package watcher

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// change is one commit and what it did to files, as git's raw log has it.
type change struct {
	sha          string
	time, author int64 // unix seconds
	subject      string
	entries      []entry
}

// entry is one file of a change. Submodules do not occur: one that became a file is an added file.
type entry struct {
	status byte // A added, M content or mode changed, D deleted, T another type (file and symlink)
	blob   string
	path   event.Path
}

// gitLog reads history through the git program.
type gitLog struct{ r *Repo }

// logFormat begins every commit with a byte that no raw entry begins with; git ends it with a NUL under -z.
const logFormat = "--format=%x01%H %ct %at %s"

// walk yields the non-merge commits that are reachable from want and not from not, newest first.
// Ids of not that no longer exist are as if they had not been given.
func (g gitLog) walk(ctx context.Context, want, not []string, yield func(*change) error) error {
	if len(want) == 0 {
		return nil
	}
	return g.r.stream(ctx, string(g.r.Root), revisions(want, not), func(rd io.Reader) error {
		return parseLog(rd, yield)
	}, "log", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-merges", "--root", "--no-color", "--no-notes", "--encoding=UTF-8", "--ignore-submodules=none", logFormat, "--ignore-missing", "--stdin")
}

// list returns the ids of all commits, merges included, that are reachable from want and not from not.
func (g gitLog) list(ctx context.Context, want, not []string) ([]string, error) {
	if len(want) == 0 {
		return nil, nil
	}
	var out []string
	err := g.r.stream(ctx, string(g.r.Root), revisions(want, not), func(rd io.Reader) error {
		lines := bufio.NewScanner(rd)
		for lines.Scan() {
			out = append(out, lines.Text())
		}
		return lines.Err()
	}, "rev-list", "--ignore-missing", "--stdin")
	return out, err
}

// count is the number of commits that walk would yield.
func (g gitLog) count(ctx context.Context, want, not []string) (int, error) {
	var n int
	err := g.r.stream(ctx, string(g.r.Root), revisions(want, not), func(rd io.Reader) error {
		_, err := fmt.Fscan(rd, &n)
		return err
	}, "rev-list", "--count", "--no-merges", "--ignore-missing", "--stdin")
	return n, err
}

// has reports whether the commit is still in the object store.
func (g gitLog) has(ctx context.Context, oid string) bool {
	_, err := g.r.run(ctx, "cat-file", "-e", oid+"^{commit}")
	return err == nil
}

func revisions(want, not []string) string {
	var b strings.Builder
	for _, oid := range want {
		b.WriteString(oid + "\n")
	}
	for _, oid := range not {
		b.WriteString("^" + oid + "\n")
	}
	return b.String()
}

var errLog = errors.New("git log printed what its documentation does not know")

// parseLog reads the output of walk's command: "\x01<id> <committed> <authored> <subject>\0", then, if
// there are entries, one newline and ":<modes> <ids> <status>\0<path>\0" for each.
func parseLog(rd io.Reader, yield func(*change) error) error {
	in := &fields{rd: bufio.NewReaderSize(rd, 128<<10)}
	names := newNames()
	var c *change
	for {
		f, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("read git log: %w", err)
		}
		if len(f) > 1 && f[0] == '\n' {
			f = f[1:]
		}
		switch {
		case len(f) > 0 && f[0] == 1:
			if c != nil {
				if err := yield(c); err != nil {
					return err
				}
			}
			if c, err = parseHead(f[1:]); err != nil {
				return err
			}
		case len(f) > 0 && f[0] == ':' && c != nil:
			e, ok, err := parseEntry(f)
			if err != nil {
				return err
			}
			name, err := in.next()
			if err != nil {
				return fmt.Errorf("read git log: a path of commit %s is missing: %w", c.sha, errLog)
			}
			if e.path = names.path(name); ok && e.path != "" {
				c.entries = append(c.entries, e)
			}
		default:
			return fmt.Errorf("read git log: %w: %.40q", errLog, f)
		}
	}
	if c != nil {
		return yield(c)
	}
	return nil
}

func parseHead(f []byte) (*change, error) {
	sha, rest, ok1 := bytes.Cut(f, []byte{' '})
	ct, rest, ok2 := bytes.Cut(rest, []byte{' '})
	at, subject, ok3 := bytes.Cut(rest, []byte{' '})
	if !ok1 || !ok2 || !ok3 || (len(sha) != 40 && len(sha) != 64) {
		return nil, fmt.Errorf("read git log: %w: %.40q", errLog, f)
	}
	c := &change{sha: string(sha), subject: cutSubject(subject)}
	c.time, _ = strconv.ParseInt(string(ct), 10, 64) // a broken date is empty: 1970
	c.author, _ = strconv.ParseInt(string(at), 10, 64)
	return c, nil
}

// maxSubject is how much of a commit's subject is kept, in bytes.
const maxSubject = 200

func cutSubject(s []byte) string {
	return strings.ToValidUTF8(string(s[:min(len(s), maxSubject)]), "")
}

// parseEntry reads ":<old mode> <new mode> <old id> <new id> <status>". ok is false for a submodule.
func parseEntry(f []byte) (e entry, ok bool, err error) {
	var part [5][]byte
	rest, more := f[1:], true
	for i := range part {
		if !more {
			return e, false, fmt.Errorf("read git log: %w: %.40q", errLog, f)
		}
		part[i], rest, more = bytes.Cut(rest, []byte{' '})
	}
	if more || len(part[4]) == 0 {
		return e, false, fmt.Errorf("read git log: %w: %.40q", errLog, f)
	}
	e, ok = makeEntry(parseMode(part[0]), parseMode(part[1]), part[4][0])
	switch {
	case !ok:
	case e.status == 'D':
		e.blob = string(part[2])
	case e.status == 'A':
		e.blob = string(part[3])
	}
	return e, ok, nil
}

// modeLink is the mode of a submodule, modeType masks the file type.
const (
	modeTree uint32 = 0o040000
	modeLink uint32 = 0o160000
	modeType uint32 = 0o170000
)

// makeEntry decides what happened from the modes (0: none): a submodule counts as no file.
func makeEntry(old, new uint32, status byte) (e entry, ok bool) {
	if old == modeLink {
		old, status = 0, 'A'
	}
	if new == modeLink {
		new, status = 0, 'D'
	}
	return entry{status: status}, old != 0 || new != 0
}

func parseMode(b []byte) uint32 {
	n, _ := strconv.ParseUint(string(b), 8, 32)
	return uint32(n)
}

// fields cuts a stream at NUL bytes.
type fields struct {
	rd   *bufio.Reader
	long []byte
}

// maxField bounds a field: longer ones (a commit message without a line end) are cut, the rest is skipped.
const maxField = 2 * event.MaxPath

// next returns the next field; it is valid until the call after. io.EOF: the stream ended at a border.
func (f *fields) next() ([]byte, error) {
	s, err := f.rd.ReadSlice(0)
	if err == nil {
		return s[:len(s)-1], nil
	}
	f.long = f.long[:0]
	for err == bufio.ErrBufferFull {
		if room := maxField - len(f.long); room > 0 {
			f.long = append(f.long, s[:min(room, len(s))]...)
		}
		s, err = f.rd.ReadSlice(0)
	}
	if err == io.EOF {
		if len(s) == 0 && len(f.long) == 0 {
			return nil, io.EOF
		}
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if room := maxField - len(f.long); room > 0 {
		f.long = append(f.long, s[:min(room, len(s)-1)]...)
	}
	return f.long, nil
}

// names keeps one copy of each path: a history names the same few thousand files again and again.
type names struct{ known map[string]event.Path }

func newNames() *names { return &names{known: map[string]event.Path{}} }

// path returns the Path of a name as git printed it, "" if it cannot be one.
func (n *names) path(name []byte) event.Path {
	if p, ok := n.known[string(name)]; ok {
		return p
	}
	p, err := event.NewPath(string(name))
	if err != nil {
		return ""
	}
	if len(n.known) < 200_000 {
		n.known[string(p)] = p
	}
	return p
}
