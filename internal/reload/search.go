package reload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Bounds of reads and searches.
const (
	maxRead     = 1 << 20         // bytes of a file that is read or searched
	maxLines    = 2000            // of one read
	maxLine     = 1000            // bytes of a line that is shown
	maxResults  = 250             // lines or files of one search
	searchTime  = 5 * time.Second // of one search
	maxPattern  = 1000            // bytes of a pattern
	binaryProbe = 8000            // bytes in which a NUL makes a file one that is not text
)

func binary(raw []byte) bool { return bytes.IndexByte(raw[:min(len(raw), binaryProbe)], 0) >= 0 }

// read prints the lines that were read, as they are now.
func (p *replay) read(a Action, s *Step) {
	s.State = Done
	var b strings.Builder
	for i, f := range a.Paths {
		if p.w.ignored(f) {
			s.is(Refused, "the file is ignored now")
			return
		}
		raw, err := regularfile.ReadIn(p.dir, string(f), maxRead)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.is(Diverged, f.Display()+" is gone")
			return
		case err != nil:
			s.is(Refused, f.Display()+": "+plain(err))
			return
		case binary(raw):
			s.is(Refused, f.Display()+" is not text")
			return
		}
		if now := index.BlobID(raw); i < len(a.Seen) && a.Seen[i] != "" && a.Seen[i] != now {
			s.is(Changed, "changed since it was recorded")
		}
		if len(a.Paths) > 1 {
			fmt.Fprintf(&b, "%s:\n", f.Display())
		}
		if !number(&b, raw, max(a.Offset, 1), a.Limit) && a.Offset > 1 {
			s.is(Diverged, fmt.Sprintf("%s has no line %d any more", f.Display(), a.Offset))
			return
		}
	}
	s.Output = b.String()
}

// number prints lines with their numbers; false if there is none.
func number(b *strings.Builder, raw []byte, from, limit int) bool {
	if limit <= 0 || limit > maxLines {
		limit = maxLines
	}
	n, any := 0, false
	for line := range bytes.Lines(raw) {
		if n++; n < from {
			continue
		}
		if n >= from+limit || b.Len() > maxStepOutput {
			fmt.Fprintf(b, "…\n")
			break
		}
		any = true
		fmt.Fprintf(b, "%6d\t%s\n", n, event.Clip(strings.TrimRight(strings.ToValidUTF8(string(line), "�"), "\r\n"),
			maxLine))
	}
	return any
}

// search finds a pattern in the files of the worktree.
func (p *replay) search(ctx context.Context, a Action, s *Step) {
	expr := "(?m)" + a.Pattern
	if a.Fold {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil || len(expr) > maxPattern {
		s.is(Refused, "the pattern is of another dialect")
		return
	}
	if !validGlob(a.Glob) {
		s.is(Refused, "the glob is not understood")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	limit := maxResults
	if a.Limit > 0 && a.Limit < limit {
		limit = a.Limit
	}
	var b strings.Builder
	found := 0
	for _, f := range p.w.Files() {
		rel, in := under(f, a.Folder)
		if !in || !matchGlob(a.Glob, rel) || p.w.ignored(f) {
			continue
		}
		if found >= limit || b.Len() > maxStepOutput || ctx.Err() != nil {
			b.WriteString("…\n")
			break
		}
		raw, err := regularfile.ReadIn(p.dir, string(f), maxRead)
		if err != nil || binary(raw) {
			continue
		}
		found += matches(&b, f, raw, re, a.Mode, limit-found)
	}
	s.State, s.Output = Done, b.String()
	switch {
	case ctx.Err() != nil:
		s.Note = "not finished in time"
	case found == 0 && a.Found > 0:
		s.is(Diverged, "finds nothing any more")
	case found == 0:
		s.Note = "nothing found"
	}
}

// matches prints what is found in one file, and returns how many results that is.
func matches(b *strings.Builder, f event.Path, raw []byte, re *regexp.Regexp, mode string, limit int) int {
	if mode == "files" || mode == "" {
		if re.Match(raw) {
			fmt.Fprintf(b, "%s\n", f.Display())
			return 1
		}
		return 0
	}
	n, found := 0, 0
	if !re.Match(raw) {
		return 0 // most files: searched once, not line by line
	}
	for line := range bytes.Lines(raw) {
		n++
		if line = bytes.TrimRight(line, "\r\n"); !re.Match(line) {
			continue
		}
		if found++; mode == "content" {
			fmt.Fprintf(b, "%s:%d:%s\n", f.Display(), n, event.Clip(strings.ToValidUTF8(string(line), "�"), maxLine))
			if found >= limit {
				break
			}
		}
	}
	if mode == "count" && found > 0 {
		fmt.Fprintf(b, "%s:%d\n", f.Display(), found)
		return 1
	}
	return found
}

// list names files: those that fit a glob, or all of a folder.
func (p *replay) list(a Action, s *Step) {
	if !validGlob(a.Glob) {
		s.is(Refused, "the glob is not understood")
		return
	}
	var b strings.Builder
	found, seen := 0, map[string]bool{}
	for _, f := range p.w.Files() {
		rel, in := under(f, a.Folder)
		if !in || !matchGlob(a.Glob, rel) || p.w.ignored(f) {
			continue
		}
		name := f.Display()
		if a.Glob == "" { // the entries of the folder itself
			first, _, deeper := strings.Cut(rel, "/")
			if name = event.Path(first).Display(); deeper {
				name += "/"
			}
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		if found++; found > maxResults {
			b.WriteString("…\n")
			break
		}
		b.WriteString(name + "\n")
	}
	s.State, s.Output = Done, b.String()
	if found == 0 {
		s.Note = "nothing found"
		if a.Found > 0 {
			s.is(Diverged, "finds nothing any more")
		}
	}
}

// under is a file's name below a folder; the folder may be the file itself.
func under(f, dir event.Path) (rel string, in bool) {
	switch {
	case dir == "":
		return string(f), true
	case f == dir:
		return f.Base(), true
	}
	return strings.CutPrefix(string(f), string(dir)+"/")
}

// plain is an error without the name of the file, which the caller adds, and without the place of the worktree.
func plain(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

// cutLines cuts a text at the end of a line.
func cutLines(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = event.Clip(s, n)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[:i+1]
	}
	return s + "…\n"
}

// matchGlob reports whether a name fits a glob as search tools have it: * and ? stay within a folder, ** does not,
// {a,b} is a choice, [a-z] a class; a glob without a slash fits names at any depth. "" fits everything.
func matchGlob(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	anywhere := !strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if anywhere {
		pattern = "**/" + pattern
	}
	return doublestar.MatchUnvalidated(pattern, name)
}

// validGlob reports whether matchGlob understands a glob.
func validGlob(pattern string) bool {
	return len(pattern) <= maxPattern && doublestar.ValidatePattern(pattern)
}
