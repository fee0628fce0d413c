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
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// BlamedLine is a line of a file as it is now, and the commit that it comes from.
type BlamedLine struct {
	Line              int        // line number, from 1
	Commit            string     // the id; "" if the line is not committed, and then the following fields are empty
	File              event.Path // the name of the file in that commit
	By                string     // the author's name
	Subject           string
	Written, Recorded time.Time // when the author wrote it, and when it was committed
	Cut               bool      // the commit is the border of a shallow clone: the line may be older
}

// errBlame means that git blame printed something that this package does not understand.
var errBlame = errors.New("unexpected output of git blame")

// Blame returns, for the lines from to to of a file of the worktree, the commits that they come
// from; the first line is 1. A change of white space alone does not count, nor does a move from
// another file in the same commit. Blame runs git once, or twice after a failure. The errors are
// those of git: it does not track the file, or there are no such lines.
func (r *Repo) Blame(ctx context.Context, file event.Path, from, to int) (lines []BlamedLine, err error) {
	blame := func(options ...string) error {
		read := func(out io.Reader) (err error) { lines, err = parseBlame(out); return err }
		options = append([]string{"blame", "--line-porcelain", "--root", "-w", "-C", "-L", fmt.Sprintf("%d,%d", from, to)},
			options...)
		return r.git.Stream(ctx, string(r.Root), "", read, append(options, "--", string(file))...)
	}
	err = blame()
	// git fails if blame.ignoreRevsFile names a file that does not exist here. People set it once
	// for many repositories, so blame is tried again without it.
	if _, failed := errors.AsType[*git.Error](err); failed && blame("--no-ignore-revs-file") == nil {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the commits of lines of %s: %w", file.Display(), err)
	}
	cut, _ := r.shallow()
	for i, l := range lines {
		lines[i].Cut = cut[l.Commit]
	}
	return lines, nil
}

// InHead reports whether HEAD has a file, even if the clone lacks its content. Before the first
// commit it returns false.
func (r *Repo) InHead(ctx context.Context, file event.Path) (bool, error) {
	_, commit, err := r.Head(ctx)
	if err != nil || commit == "" {
		return false, err
	}
	out, err := r.run(ctx, "--literal-pathspecs", "ls-tree", "--full-tree", "--name-only", commit, "--", string(file))
	if err != nil {
		return false, fmt.Errorf("look for %s in HEAD: %w", file.Display(), err)
	}
	return len(out) > 0, nil
}

// parseBlame reads the porcelain format: for each line a header "<id> <line then> <line now>",
// facts of its commit, and the line itself after a tab.
func parseBlame(from io.Reader) (out []BlamedLine, err error) {
	var line BlamedLine
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadString('\n')
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		switch key, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " "); {
		case text[0] == '\t' && line.File != "":
			if strings.Trim(line.Commit, "0") == "" {
				line = BlamedLine{Line: line.Line, File: line.File}
			}
			out, line = append(out, line), BlamedLine{}
		case line.Commit == "" && len(key) >= 40:
			_, now, _ := strings.Cut(value, " ")
			now, _, _ = strings.Cut(now, " ")
			line.Commit = key
			line.Line, err = strconv.Atoi(now)
		case line.Commit == "":
			err = errBlame
		default:
			err = line.read(key, value)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %.60q: %v", errBlame, text, err)
		}
	}
}

// read takes one fact about the commit of a line.
func (l *BlamedLine) read(key, value string) (err error) {
	seconds := func() time.Time {
		var n int64
		n, err = strconv.ParseInt(value, 10, 64)
		return time.Unix(n, 0)
	}
	switch key {
	case "author":
		l.By = value
	case "summary":
		l.Subject = value
	case "author-time":
		l.Written = seconds()
	case "committer-time":
		l.Recorded = seconds()
	case "filename":
		if plain, quoted := strconv.Unquote(value); quoted == nil && value[0] == '"' {
			value = plain
		}
		l.File, err = event.NewPath(value)
	}
	return err
}

// WrittenBefore returns when the earlier commits of a file were written by their authors. Earlier
// commits are the ancestors of commit, or, if commit is "", HEAD and its ancestors. Only those that
// were committed after since are looked at.
func (r *Repo) WrittenBefore(ctx context.Context, commit string, file event.Path,
	since time.Time) (at []time.Time, err error) {
	args := []string{"--literal-pathspecs", "log", "--format=%at", fmt.Sprintf("--since=%d", since.Unix())}
	if commit == "" {
		args = append(args, "HEAD")
	} else { // git log lists commit itself first
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

// FilesOf returns the files that a commit changed, by name. For a merge commit these are the files
// that differ from all of its parents.
func (r *Repo) FilesOf(ctx context.Context, commit string) ([]event.Path, error) {
	files, err := r.run(ctx, "diff-tree", "-r", "--root", "-c", "--no-commit-id", "--no-renames", "--name-only",
		"-z", commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of %.9s: %w", commit, err)
	}
	return slices.DeleteFunc(pathsIn(files), r.Excluded), nil
}
