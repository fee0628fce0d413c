package watcher

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// Blame says which commit each of some lines comes from.
type Blame struct {
	Lines   []BlamedLine
	Commits map[string]BlamedCommit // by id
}

// BlamedLine is a line of a file as it is now.
type BlamedLine struct {
	Line   int        // from 1
	Commit string     // the id; "" if the line is not committed
	File   event.Path // the name of its file in that commit
}

// BlamedCommit is a commit that lines come from.
type BlamedCommit struct {
	By                string // name of the author
	Subject           string
	Written, Recorded time.Time // of the author and of the committer
	Cut               bool      // a shallow clone ends there: the line may be older
}

// errBlame says that git blame printed what this package does not understand.
var errBlame = errors.New("unexpected output of git blame")

// Blame asks git which commits the lines from to to of a file of the worktree come from, the first being 1. A line that
// only got other white space, and one that came from another file of the same commit, keeps its commit. It takes one
// process of git. Errors are those of git: a file that it does not track, lines that are not there.
func (r *Repo) Blame(ctx context.Context, file event.Path, from, to int) (b Blame, err error) {
	blame := func(program *git.Program) error {
		read := func(out io.Reader) (err error) { b, err = parseBlame(out); return err }
		return program.Stream(ctx, string(r.Root), "", read, "blame", "--porcelain", "--root", "-w", "-C", "-L",
			fmt.Sprintf("%d,%d", from, to), "--", string(file))
	}
	err = blame(r.git)
	// A person's blame.ignoreRevsFile names a file that many repositories do not have. git then fails, and no option takes
	// back a value of that setting.
	bare := r.git.With("GIT_CONFIG_GLOBAL=" + os.DevNull).With("GIT_CONFIG_NOSYSTEM=1")
	if _, failed := errors.AsType[*git.Error](err); failed && blame(bare) == nil {
		err = nil
	}
	if err != nil {
		return Blame{}, fmt.Errorf("find the commits of lines of %s: %w", file.Display(), err)
	}
	cut, _ := r.shallow()
	for id, c := range b.Commits {
		c.Cut = cut[id]
		b.Commits[id] = c
	}
	return b, nil
}

// parseBlame reads the porcelain format: of each line a header "<id> <line then> <line now>", what is known of its
// commit where that comes first, and the line behind a tab.
func parseBlame(from io.Reader) (b Blame, err error) {
	b.Commits = map[string]BlamedCommit{}
	files := map[string]event.Path{}
	in := bufio.NewReader(from)
	var id string
	var line BlamedLine
	for {
		text, err := in.ReadString('\n')
		if err == io.EOF && text == "" {
			return b, nil
		}
		if err != nil && err != io.EOF {
			return b, err
		}
		text = strings.TrimSuffix(text, "\n")
		switch {
		case strings.HasPrefix(text, "\t"):
			if id == "" || files[id] == "" {
				return b, fmt.Errorf("%w: a line of no commit", errBlame)
			}
			line.File = files[id]
			if line.Commit = id; strings.Trim(id, "0") == "" {
				line.Commit = ""
				delete(b.Commits, id)
			}
			b.Lines = append(b.Lines, line)
			id = ""
		case id == "":
			if id, line.Line, err = blameHeader(text); err != nil {
				return b, err
			}
		default:
			c := b.Commits[id]
			if files[id], err = c.read(text, files[id]); err != nil {
				return b, err
			}
			b.Commits[id] = c
		}
	}
}

// blameHeader reads the line that begins what git says of one line.
func blameHeader(text string) (id string, line int, err error) {
	part := strings.Fields(text)
	if len(part) >= 3 {
		line, err = strconv.Atoi(part[2])
	}
	if len(part) < 3 || err != nil || line < 1 || len(part[0]) < 40 {
		return "", 0, fmt.Errorf("%w: %.60q", errBlame, text)
	}
	return part[0], line, nil
}

// read takes one fact of a commit, and returns the name of the file in it.
func (c *BlamedCommit) read(text string, file event.Path) (event.Path, error) {
	key, value, _ := strings.Cut(text, " ")
	switch key {
	case "author":
		c.By = value
	case "summary":
		c.Subject = value
	case "author-time", "committer-time":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return file, fmt.Errorf("%w: %.60q", errBlame, text)
		}
		if key == "author-time" {
			c.Written = time.Unix(n, 0)
		} else {
			c.Recorded = time.Unix(n, 0)
		}
	case "filename":
		return event.NewPath(unquote(value))
	}
	return file, nil
}

// unquote is the name of a file that git may have put in quotation marks.
func unquote(name string) string {
	if plain, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return plain
	}
	return name
}

// WrittenBefore returns when the commits of a file were written by their authors, of those that a commit has behind it,
// or HEAD with it if commit is "", as far as they were recorded after since.
func (r *Repo) WrittenBefore(ctx context.Context, commit string, file event.Path, since time.Time) (at []time.Time, err error) {
	args := []string{"--literal-pathspecs", "log", "--format=%at", fmt.Sprintf("--since=%d", since.Unix())}
	if commit == "" {
		args = append(args, "HEAD")
	} else { // it is the first one of its file itself
		args = append(args, "--skip=1", commit)
	}
	out, err := r.run(ctx, append(args, "--", string(file))...)
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", file.Display(), err)
	}
	for line := range bytes.Lines(out) {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(line)), 10, 64); err == nil {
			at = append(at, time.Unix(n, 0))
		}
	}
	return at, nil
}

// FilesOf returns the files that a commit changed, in comparison with its first parent, in the order of their names.
func (r *Repo) FilesOf(ctx context.Context, commit string) (out []event.Path, err error) {
	files, err := r.rawDiff(ctx, "diff-tree", "-r", "--root", "-m", "--first-parent", "--no-commit-id", commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of %.9s: %w", commit, err)
	}
	for _, f := range files {
		if !r.Excluded(f.Path) {
			out = append(out, f.Path)
		}
	}
	return out, nil
}
