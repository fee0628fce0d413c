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
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
)

// Bounds of what is read of patches.
const (
	patchLine  = 512 // bytes of a line: what is longer is data
	patchFiles = 100 // files of a commit: one that changes more says nothing about which belong together

	mostUnread = 5 // commits in a row that git cannot read: more are those of a partial clone, which is never fetched
)

// ReadSketches yields what commits changed in each text file, in the order of ids, by one `git log -p`. A commit that
// git cannot read (objects are damaged, or were never fetched) is yielded without files. It ends with the first error
// of yield, and with the sixth commit in a row that git cannot read.
//
// Errors: git.ErrMissing, those of git, ctx's, and yield's own.
func ReadSketches(ctx context.Context, program *git.Program, dir string, ids []string,
	yield func(id string, files []index.FileSketch) error) error {
	for unread := 0; len(ids) > 0; ids = ids[1:] {
		done, err := readPatches(ctx, program, dir, ids, yield)
		if git.ExitCode(err) < 1 || ctx.Err() != nil || done >= len(ids) {
			return err
		}
		ids = ids[done:] // git ended at the first of these, or before it began the second
		alone, err := readPatches(ctx, program, dir, ids[:1], yield)
		if unread++; alone == 1 {
			unread = 0
			continue
		}
		if git.ExitCode(err) < 1 || ctx.Err() != nil || unread > mostUnread {
			return fmt.Errorf("%d commits in a row: %w", unread, err)
		}
		if err := yield(ids[0], nil); err != nil {
			return err
		}
	}
	return nil
}

// readPatches is one `git log -p`. It returns how many commits were yielded.
func readPatches(ctx context.Context, program *git.Program, dir string, ids []string,
	yield func(id string, files []index.FileSketch) error) (done int, err error) {
	var p patches
	count := func(id string, files []index.FileSketch) error {
		done++
		return yield(id, files)
	}
	err = program.Stream(ctx, dir, strings.Join(ids, "\n")+"\n", func(rd io.Reader) error {
		p.lines.rd = bufio.NewReaderSize(rd, 64<<10)
		return p.read(count)
	}, "log", "-p", "-U0", "--no-walk=unsorted", "--stdin", "--root", "-M", "--no-color", "--no-notes",
		"--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=default",
		"--ignore-submodules=all", "--diff-merges=off", "--format=%x01%H")
	if err == nil {
		err = p.end(count)
	}
	return done, err
}

// Sketches is ReadSketches of the repository.
func (r *Repo) Sketches(ctx context.Context, ids []string, yield func(id string, files []index.FileSketch) error) error {
	return ReadSketches(ctx, r.git, string(r.Root), ids, yield)
}

// patches reads what `git log -p` prints.
type patches struct {
	lines lineReader

	commit string
	files  []index.FileSketch
	path   event.Path // of the file that is being read; "" for none
	differ index.Differ
}

// read yields each commit when the next one begins. Whether the last one is whole, git's exit status says: end yields
// it.
func (p *patches) read(yield func(id string, files []index.FileSketch) error) error {
	for p.lines.next() {
		line := p.lines.line
		switch {
		case len(line) > 0 && line[0] == 1:
			if err := p.end(yield); err != nil {
				return err
			}
			p.commit = string(line[1:])
		case bytes.HasPrefix(line, []byte("diff --git ")):
			p.endFile()
		case bytes.HasPrefix(line, []byte("rename to ")):
			p.path = patchPath(string(line[len("rename to "):]), "")
		case bytes.HasPrefix(line, []byte("--- ")) && p.path == "":
			p.path = patchPath(string(line[4:]), "a/")
		case bytes.HasPrefix(line, []byte("+++ ")):
			if to := patchPath(string(line[4:]), "b/"); to != "" {
				p.path = to
			}
		case bytes.HasPrefix(line, []byte("@@ ")):
			if err := p.hunk(string(line)); err != nil {
				return err
			}
		}
	}
	return p.lines.err
}

// end yields the commit that is being read, if there is one.
func (p *patches) end(yield func(id string, files []index.FileSketch) error) error {
	p.endFile()
	id, files := p.commit, p.files
	p.commit, p.files = "", nil
	if id == "" {
		return nil
	}
	if len(files) > patchFiles {
		files = nil
	}
	return yield(id, files)
}

func (p *patches) endFile() {
	if k := p.differ.Sketch(); p.path != "" && k != nil && len(p.files) <= patchFiles {
		p.files = append(p.files, index.FileSketch{File: p.path, Sketch: k, Places: p.differ.Places()})
	}
	p.path, p.differ = "", index.Differ{}
}

// hunk reads the lines of a hunk: as many as its header says, whatever they look like.
func (p *patches) hunk(head string) error {
	ranges, quoted, whole := strings.Cut(strings.TrimPrefix(head, "@@ -"), " @@")
	from, to, both := strings.Cut(ranges, " +")
	removed, err := hunkLines(from)
	added, also := hunkLines(to)
	if err = errors.Join(err, also); !whole || !both || err != nil {
		return fmt.Errorf("a hunk of commit %s: %w", p.commit, errLog)
	}
	p.differ.Hunk([]byte(quoted))
	for n := removed + added; n > 0 && p.lines.next(); {
		if line := p.lines.line; len(line) > 0 && line[0] != '\\' { // "\ No newline at end of file" is none of them
			p.differ.Line(line[0] == '+', bytes.TrimRight(line[1:], "\r"))
			n--
		}
	}
	return nil
}

// hunkLines is how many lines a range of a hunk has: "12,3" three, "12" one.
func hunkLines(s string) (n int, err error) {
	_, count, some := strings.Cut(s, ",")
	if !some {
		return 1, nil
	}
	return strconv.Atoi(count)
}

// patchPath is a path of a header. git quotes one with special characters, and ends one with spaces with a tab. "" for
// /dev/null, and for what is no path.
func patchPath(s, prefix string) event.Path {
	s = strings.TrimSuffix(s, "\t")
	if strings.HasPrefix(s, `"`) {
		plain, err := strconv.Unquote(s) // git's escapes are among Go's
		if err != nil {
			return ""
		}
		s = plain
	}
	s, ok := strings.CutPrefix(s, prefix)
	p, err := event.NewPath(s)
	if !ok || err != nil {
		return ""
	}
	return p
}

// lineReader reads lines of any length.
type lineReader struct {
	rd   *bufio.Reader
	line []byte // without its end; the first patchLine bytes
	err  error  // why there is no next line; nil at the end
}

func (r *lineReader) next() bool {
	r.line = r.line[:0]
	for some := false; ; some = true {
		part, err := r.rd.ReadSlice('\n')
		if room := patchLine - len(r.line); room > 0 {
			r.line = append(r.line, part[:min(len(part), room)]...)
		}
		switch {
		case err == nil:
			r.line = bytes.TrimSuffix(r.line, []byte("\n"))
			return true
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return some || len(r.line) > 0
		default:
			r.err = err
			return false
		}
	}
}
