package watcher

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// Commit is a commit that is no merge, with the files that it changed.
type Commit struct {
	ID           string
	Time, Author int64  // when it was committed and written, in unix seconds; 0 if git cannot read the date
	Subject      string // first line of the message; at most maxField bytes
	Files        []FileChange
}

// FileChange is one file of a Commit. Submodules are left out; a submodule that became a file is an
// added file.
type FileChange struct {
	Status byte       // A added, M content or mode changed, D deleted, T another type (file and symlink), R renamed
	Blob   string     // the id of the content; for a deleted file, of the content that it had
	Old    string     // the id of the content before; zeros if there was none
	From   event.Path // the old name of a renamed file, else ""
	Path   event.Path
	// The file that the commit deleted, or renamed, lived on in another line of the history. Only if
	// LogOptions.Renames is set.
	Lives bool
}

// LogOptions tell ReadLog which commits to read.
type LogOptions struct {
	From, Not []string // revisions: commits that are reachable from one of From and from none of Not
	// If not "", pair a deleted and an added file of which half of the content is the same, and mark
	// files that live on in this revision, which reaches the commits. Else a rename is a deleted and an
	// added file.
	Renames string
	Beside  map[string]bool // commits that Renames does not reach
	Args    []string        // further options of git log
}

var errLog = errors.New("unexpected format")

// logFormat begins every commit with a byte that no file record begins with. With -z, git ends it
// with a NUL.
const logFormat = "--format=%x01%H %ct %at %s"

// ReadLog runs `git log` in dir, which may be a bare repository, and yields the commits that are no
// merges (unless o.Args says otherwise), newest first. Ids in o.Not that no longer exist are ignored.
// ReadLog stops at the first error of yield. To pair renamed files git reads their contents. Where it
// lacks one, as in a partial clone, only files with the same content are pairs, from that commit on.
//
// Errors are git.ErrMissing, an error of git, that of ctx, and that of yield.
func ReadLog(ctx context.Context, program *git.Program, dir string, o LogOptions, yield func(*Commit) error) error {
	if o.Renames == "" {
		return readLog(ctx, program, dir, o, "--no-renames", yield)
	}
	paired := func(least string, yield func(*Commit) error) error {
		l := lives{git: program, dir: dir, revision: o.Renames, taken: map[event.Path]string{},
			follows: map[[2]string]bool{}}
		return readLog(ctx, program, dir, o, least, func(c *Commit) error {
			if !o.Beside[c.ID] {
				if err := l.before(ctx, c); err != nil {
					return err
				}
			}
			return yield(c)
		})
	}
	var last *Commit // only git's exit status tells whether the last commit is complete
	done := 0
	err := paired("-M50%", func(c *Commit) error {
		before := last
		if last = c; before == nil {
			return nil
		}
		done++
		return yield(before)
	})
	_, failed := errors.AsType[*git.Error](err)
	switch {
	case failed && ctx.Err() == nil:
		return paired("-M100%", func(c *Commit) error { // git compares the ids of contents
			if done--; done >= 0 {
				return nil
			}
			return yield(c)
		})
	case err == nil && last != nil:
		return yield(last)
	}
	return err
}

// mostPaired is the number of deleted or added files of one commit, beyond exact renames, up to which
// git compares their contents. It compares each with each, so a commit that moved thousands of files
// would take minutes.
const mostPaired = 400

// readLog runs one `git log` for ReadLog. renames is git's option for pairing renamed files.
func readLog(ctx context.Context, program *git.Program, dir string, o LogOptions, renames string,
	yield func(*Commit) error) error {
	if len(o.From) == 0 {
		return nil
	}
	args := []string{"log", "--raw", "-z", "--no-abbrev", renames, "-l" + strconv.Itoa(mostPaired), "--root",
		"--no-color", "--no-notes", "--encoding=UTF-8", "--ignore-submodules=none", logFormat, "--ignore-missing", "--stdin",
		"--no-merges"}
	return program.Stream(ctx, dir, revisions(o.From, o.Not), func(rd io.Reader) error {
		return parseLog(rd, yield)
	}, append(args, o.Args...)...)
}

// walk yields the commits that are no merges and are reachable from a revision but not from not,
// newest first. Ids in not that no longer exist are ignored.
func (r *Repo) walk(ctx context.Context, revision string, not []string, yield func(*Commit) error) error {
	return ReadLog(ctx, r.git, string(r.Root), LogOptions{From: []string{revision}, Not: not, Renames: revision}, yield)
}

// listCommits returns the ids of the commits that are reachable from want but not from not,
// including merges unless args exclude them.
func (r *Repo) listCommits(ctx context.Context, want, not []string, args ...string) ([]string, error) {
	if len(want) == 0 {
		return nil, nil
	}
	var out strings.Builder
	err := r.git.Stream(ctx, string(r.Root), revisions(want, not), func(rd io.Reader) error {
		_, err := io.Copy(&out, rd)
		return err
	}, append([]string{"rev-list", "--ignore-missing", "--stdin"}, args...)...)
	return strings.Fields(out.String()), err
}

// Reached returns the ids of a commit and its ancestors, the newest ones without merges, at most
// most.
func (r *Repo) Reached(ctx context.Context, commit string, most int) (map[string]bool, error) {
	ids, err := r.listCommits(ctx, []string{commit}, nil, "--no-merges", "-n", strconv.Itoa(most))
	return setOf(ids), err
}

// has reports whether a commit exists and can be read. An error means that git can read no commit
// at all.
func (r *Repo) has(ctx context.Context, id string) (bool, error) {
	_, err := r.run(ctx, "cat-file", "-e", id+"^{commit}")
	if git.ExitCode(err) < 0 {
		return err == nil, err
	}
	_, err = r.run(ctx, "rev-parse", "--git-dir") // can git read its settings?
	return false, err
}

// revisions returns commits as git reads them from its input: each on a line, and those in not with a ^
// before them.
func revisions(want, not []string) string {
	lines := slices.Clone(want)
	for _, id := range not {
		lines = append(lines, "^"+id)
	}
	return strings.Join(lines, "\n") + "\n"
}

// parseLog reads the output of `git log --raw -z`: "\x01<id> <time> <author time> <subject>\0",
// then for each file ":<modes> <ids> <status>\0<path>\0", with both paths for a rename. The first
// file of a commit begins with a newline.
func parseLog(rd io.Reader, yield func(*Commit) error) error {
	in := newPieces(rd, 0, maxField)
	paths := pathCache{}
	var c *Commit
	for {
		f, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("read git log: %w", err)
		}
		f = bytes.TrimPrefix(f, []byte{'\n'})
		switch {
		case len(f) > 0 && f[0] == 1:
			if c != nil {
				if err := yield(c); err != nil {
					return err
				}
			}
			c, err = parseCommit(f[1:])
		case len(f) > 0 && f[0] == ':' && c != nil:
			err = c.parseFile(f, in, paths)
		default:
			err = fmt.Errorf("%w: %.40q", errLog, f)
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("read git log: %w", err)
		}
	}
	if c != nil {
		return yield(c)
	}
	return nil
}

func parseCommit(f []byte) (*Commit, error) {
	id, rest, ok1 := bytes.Cut(f, []byte{' '})
	time, rest, ok2 := bytes.Cut(rest, []byte{' '})
	author, subject, ok3 := bytes.Cut(rest, []byte{' '})
	if !ok1 || !ok2 || !ok3 || (len(id) != 40 && len(id) != 64) {
		return nil, fmt.Errorf("%w: %.40q", errLog, f)
	}
	c := &Commit{ID: string(id), Subject: strings.ToValidUTF8(string(subject), "")}
	c.Time, _ = strconv.ParseInt(string(time), 10, 64) // git prints nothing for a broken date
	c.Author, _ = strconv.ParseInt(string(author), 10, 64)
	return c, nil
}

// parseFile reads ":<old mode> <new mode> <old id> <new id> <status>" and the paths that follow it.
func (c *Commit) parseFile(f []byte, in *pieces, paths pathCache) error {
	var part [5][]byte
	rest, more := f[1:], true
	for i := range part {
		if !more {
			return fmt.Errorf("%w: %.40q", errLog, f)
		}
		part[i], rest, more = bytes.Cut(rest, []byte{' '})
	}
	if more || len(part[4]) == 0 {
		return fmt.Errorf("%w: %.40q", errLog, f)
	}
	before, after := string(part[0]), string(part[1])
	e := FileChange{Status: part[4][0], Old: string(part[2]), Blob: string(part[3])}
	if before == modeLink {
		before, e.Status = modeNone, 'A'
	}
	if after == modeLink {
		after, e.Status = modeNone, 'D'
	}
	if e.Status == 'D' {
		e.Blob = e.Old
	}
	if part[4][0] == 'R' { // also for a renamed submodule, whose status was changed above
		name, err := in.next()
		if err != nil {
			return err
		}
		if e.Status == 'R' {
			e.From = paths.path(name)
		}
	}
	name, err := in.next()
	if err != nil {
		return err
	}
	if e.Path = paths.path(name); e.Path != "" && (before != modeNone || after != modeNone) {
		c.Files = append(c.Files, e)
	}
	return nil
}

// The modes that git prints for a submodule, and where there is no file.
const modeLink, modeNone = "160000", "000000"

// pathCache keeps one copy of each path, because a history names the same few thousand files again
// and again.
type pathCache map[string]event.Path

// path returns the Path for a name that git printed, "" if it cannot be one.
func (c pathCache) path(name []byte) event.Path {
	if p, ok := c[string(name)]; ok {
		return p
	}
	p, err := event.NewPath(string(name))
	if err != nil {
		return ""
	}
	if len(c) < 200_000 {
		c[string(p)] = p
	}
	return p
}

// pieces splits the output of git into lines, or into fields that end with a NUL.
type pieces struct {
	rd   *bufio.Reader
	end  byte
	most int
	long []byte
}

// maxField is the number of bytes of a field that are kept. The rest of a longer message is
// skipped.
const maxField = 1 << 20

// newPieces splits a stream after each byte end. It keeps the first most bytes of a piece.
func newPieces(rd io.Reader, end byte, most int) *pieces {
	return &pieces{rd: bufio.NewReaderSize(rd, 128<<10), end: end, most: most}
}

// next returns the next piece without its end; it is valid until the next call. It returns io.EOF
// if the stream ended after a complete piece.
func (p *pieces) next() ([]byte, error) {
	s, err := p.rd.ReadSlice(p.end)
	if err == nil {
		return s[:min(len(s)-1, p.most)], nil
	}
	p.long = p.long[:0]
	keep := func(s []byte) { p.long = append(p.long, s[:min(p.most-len(p.long), len(s))]...) }
	for errors.Is(err, bufio.ErrBufferFull) {
		keep(s)
		s, err = p.rd.ReadSlice(p.end)
	}
	if err == io.EOF && len(s)+len(p.long) > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	keep(s[:len(s)-1])
	return p.long, nil
}
