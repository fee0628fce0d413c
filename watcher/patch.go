package watcher

import (
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
	"github.com/aoa-dev/aoa/internal/index"
)

// Limits for reading patches.
const (
	patchLine  = 512 // bytes of a line; longer ones are data
	patchFiles = 100 // files of a commit; a larger commit does not tell which files belong together
)

// mostDamaged is how many commits ReadSketches leaves out because git cannot read them. A partial
// clone lacks the contents of nearly all of them.
const mostDamaged = 20

// ReadSketches runs `git log -p` and yields a sketch of the changes in each text file of the given
// commits, in the order of ids. It stops at the first error of yield. A commit that git cannot read,
// because its objects are damaged or were never fetched, is yielded without files, so that it does
// not stop the others; after mostDamaged of them the error of git is returned.
//
// Errors are git.ErrMissing, an error of git, that of ctx, and that of yield.
func ReadSketches(ctx context.Context, program *git.Program, dir string, ids []string,
	yield func(id string, files []index.FileSketch) error) error {
	for damaged := 0; len(ids) > 0; {
		last, err := readPatches(ctx, program, dir, ids, yield)
		if git.ExitCode(err) <= 0 || ctx.Err() != nil {
			return err
		}
		// git failed at the last commit that it began, or at the one after it.
		i := max(0, slices.Index(ids, last))
		_, alone := readPatches(ctx, program, dir, ids[i:i+1], yield)
		if git.ExitCode(alone) > 0 {
			if damaged++; damaged > mostDamaged {
				return err
			}
			alone = yield(ids[i], nil)
		}
		if alone != nil {
			return alone
		}
		ids = ids[i+1:]
	}
	return nil
}

// readPatches runs one `git log -p`, and yields the commits that it completed. last is the one that it
// began when it failed, which it did not yield.
func readPatches(ctx context.Context, program *git.Program, dir string, ids []string,
	yield func(id string, files []index.FileSketch) error) (last string, err error) {
	var p patches
	err = program.Stream(ctx, dir, strings.Join(ids, "\n")+"\n", func(rd io.Reader) error {
		p.lines = newPieces(rd, '\n', patchLine)
		return p.read(yield)
	}, "log", "-p", "-U0", "--no-walk=unsorted", "--ignore-missing", "--stdin", "--root", "-M", "--no-color", "--no-notes",
		"--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=default",
		"--ignore-submodules=all", "--diff-merges=off", "--format=%x01%H")
	if err == nil {
		err = p.end(yield)
	}
	return p.commit, err
}

// Sketches is ReadSketches for this repository.
func (r *Repo) Sketches(ctx context.Context, ids []string,
	yield func(id string, files []index.FileSketch) error) error {
	return ReadSketches(ctx, r.git, string(r.Root), ids, yield)
}

// patches parses the output of `git log -p`.
type patches struct {
	lines *pieces

	commit string
	files  []index.FileSketch
	path   event.Path // the file that is being read; "" for none
	differ index.Differ
}

// read yields each commit when the next one begins. The last one is yielded by end, because only
// git's exit status tells whether it is complete.
func (p *patches) read(yield func(id string, files []index.FileSketch) error) error {
	for {
		line, err := p.lines.next()
		if err == io.EOF {
			return nil
		}
		switch {
		case err != nil:
			return err
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

// hunk reads the lines of a hunk: as many as its header announces, whatever they look like.
func (p *patches) hunk(head string) error {
	ranges, quoted, whole := strings.Cut(strings.TrimPrefix(head, "@@ -"), " @@")
	from, to, both := strings.Cut(ranges, " +")
	removed, err := hunkLines(from)
	added, also := hunkLines(to)
	if err = errors.Join(err, also); !whole || !both || err != nil {
		return fmt.Errorf("a hunk of commit %s: %w", p.commit, errLog)
	}
	p.differ.Hunk([]byte(quoted))
	for n := removed + added; n > 0; {
		line, err := p.lines.next()
		if err != nil {
			return err
		}
		if len(line) > 0 && line[0] != '\\' { // "\ No newline at end of file" is not a line of the file
			p.differ.Line(line[0] == '+', bytes.TrimRight(line[1:], "\r"))
			n--
		}
	}
	return nil
}

// hunkLines returns the number of lines in a range of a hunk's header: 3 for "12,3", 1 for "12".
func hunkLines(s string) (n int, err error) {
	_, count, some := strings.Cut(s, ",")
	if !some {
		return 1, nil
	}
	return strconv.Atoi(count)
}

// patchPath decodes a path in a header. git quotes a path with special characters, and puts a tab
// after one with spaces. The result is "" for /dev/null and for anything that is not a path.
func patchPath(s, prefix string) event.Path {
	s = strings.TrimSuffix(s, "\t")
	if strings.HasPrefix(s, `"`) {
		plain, err := strconv.Unquote(s) // git's escapes are a subset of Go's
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
