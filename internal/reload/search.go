package reload

import (
	"bytes"
	"cmp"
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

// Limits of reads and searches.
const (
	maxRead     = 1 << 20         // bytes of a file that is read or searched
	maxLines    = 2000            // lines of one read
	maxLine     = 1000            // bytes of a line that is shown
	maxResults  = 250             // lines or files of one search
	searchTime  = 5 * time.Second // for one search
	maxPattern  = 1000            // bytes of a pattern
	binaryProbe = 8000            // a NUL within this many bytes means that a file is not text
)

func binary(raw []byte) bool { return bytes.IndexByte(raw[:min(len(raw), binaryProbe)], 0) >= 0 }

// read prints the lines that were read, with their present content.
func (p *replay) read(a Action, s *Step) {
	s.State = Done
	var b strings.Builder
	for i, f := range a.Paths {
		if p.w.Ignored(f) {
			s.is(Refused, "the file is ignored now")
			return
		}
		raw, err := regularfile.ReadIn(p.dir, string(f), maxRead)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.is(Diverged, f.Display()+" is gone")
			return
		case err != nil:
			s.is(Refused, f.Display()+": "+regularfile.Reason(err).Error())
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

// number prints lines with their numbers. It returns false if none exist.
func number(b *strings.Builder, raw []byte, from, limit int) bool {
	if limit <= 0 || limit > maxLines {
		limit = maxLines
	}
	n := 0
	for line := range bytes.Lines(raw) {
		if n++; n < from {
			continue
		}
		if n >= from+limit || b.Len() > maxStepOutput {
			b.WriteString("…\n")
			break
		}
		fmt.Fprintf(b, "%6d\t%s\n", n, shown(line))
	}
	return n >= from
}

// shown returns a line as it is printed.
func shown(line []byte) string {
	return event.Clip(strings.TrimRight(strings.ToValidUTF8(string(line), "�"), "\r\n"), maxLine)
}

// search finds a pattern in the files of the worktree, or, for a listing, names the files that match a
// glob, or all files of a folder.
func (p *replay) search(ctx context.Context, a Action, s *Step) {
	expr := "(?m)" + a.Pattern
	if a.Fold {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil || len(expr) > maxPattern {
		s.is(Refused, "the pattern has a syntax that aOa does not know")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	limit := min(maxResults, cmp.Or(a.Limit, maxResults))
	var b strings.Builder
	found := 0
	for _, f := range p.w.Files() {
		if f != a.Folder && !matchGlob(a.Folder, a.Glob, f) || p.w.Ignored(f) {
			continue
		}
		if found >= limit || b.Len() > maxStepOutput || ctx.Err() != nil {
			b.WriteString("…\n")
			break
		}
		if a.Act == event.ActList {
			fmt.Fprintln(&b, f.Display())
			found++
		} else if raw, err := regularfile.ReadIn(p.dir, string(f), maxRead); err == nil && !binary(raw) {
			found += matches(&b, f, raw, re, a.Mode, limit-found)
		}
	}
	s.Output = b.String()
	switch {
	case ctx.Err() != nil:
		s.is(Done, "not finished in time")
	case found > 0:
		s.is(Done, "")
	case a.Found > 0:
		s.is(Changed, "finds nothing any more")
	default:
		s.is(Done, "nothing found")
	}
}

// matches prints what is found in one file, and returns the number of results.
func matches(b *strings.Builder, f event.Path, raw []byte, re *regexp.Regexp, mode string, limit int) (found int) {
	if !re.Match(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))) {
		return 0 // most files end here, after a single search
	}
	if mode != "content" {
		fmt.Fprintf(b, "%s\n", f.Display())
		return 1
	}
	n := 0
	for line := range bytes.Lines(raw) {
		if n++; found < limit && re.Match(bytes.TrimRight(line, "\r\n")) {
			fmt.Fprintf(b, "%s:%d:%s\n", f.Display(), n, shown(line))
			found++
		}
	}
	return found
}

// cutLines cuts a text after a line.
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

// matchGlob reports whether a file in a folder matches a glob in the way of search tools: * and ? stay
// within a folder, ** does not, {a,b} is a choice, [a-z] a class. A glob without a slash matches names
// at any depth. "" matches everything, an invalid glob nothing.
func matchGlob(folder event.Path, glob string, f event.Path) bool {
	rel, in := strings.CutPrefix(string(f), strings.TrimPrefix(string(folder)+"/", "/"))
	if glob == "" || !in {
		return in
	}
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/"), rel)
}
