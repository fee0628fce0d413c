package hint

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// fact returns the suggestion of a file that was looked up for a hint of a kind, with the reason in
// words.
func fact(k prefetch.HintKind, f event.Path, text string) event.Suggestion {
	reason := event.Reason{Signal: string(k), Value: 1, Weight: 1, Text: text}
	return event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{reason}}
}

// misnamed returns the files that failed accesses meant.
func (h *Hints) misnamed(ctx context.Context, w *checkout.Checkout, events []event.Event) (out []event.Suggestion) {
	renamed := func(p event.Path) (event.Path, bool) {
		now, ok, err := h.o.DB.Renamed(ctx, p, w.Tree().Has)
		return now, ok && err == nil
	}
	for _, e := range events {
		if e.Kind() != event.KindFailed {
			continue
		}
		for _, p := range e.Paths() {
			if s, ok := meant(w.Tree(), renamed, p, e.Call().Failure); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// meantBy has the reason in words for each rule of the resolver by which a missing path may find a
// file.
var meantBy = map[index.Rung]string{
	index.Base:     " does not exist, this is the tracked file of that name",
	index.Form:     " does not exist, this file has that name in another form",
	index.Spelling: " does not exist, this file has nearly that name",
}

// meant returns the one tracked file that was meant by an access to a path that does not exist or is
// a folder, with a reason in words. ok is false if no file or several may be meant, because a wrong
// answer is worse than none. why tells how the access failed. renamed returns the first later name of
// a file that exists. meant only looks up names, which takes microseconds.
func meant(tree *index.Tree, renamed func(event.Path) (event.Path, bool), wrong event.Path,
	why event.Failure) (s event.Suggestion, ok bool) {
	if tree == nil || wrong == "" || tree.Has(wrong) {
		return s, false
	}
	var f event.Path
	var text string // follows the wrong path in the reason
	switch why {
	case event.FailDir:
		f, _ = tree.Entrance(wrong)
		text = " is a folder"
	case event.FailMissing:
		if f, ok = renamed(wrong); ok && tree.Has(f) {
			text = " was renamed"
		} else {
			var at index.Rung
			f, at = (&index.Locator{Tree: tree}).Find(string(wrong), index.Base, index.Spelling)
			text = meantBy[at]
		}
	}
	if f == "" {
		return s, false
	}
	s = fact(prefetch.Rescue, f, wrong.Display()+text)
	s.Reasons[0].With = wrong
	return s, true
}

// searched returns the files that failed searches meant, each with the line of the symbol that was
// searched.
func (h *Hints) searched(w *checkout.Checkout, events []event.Event) (out []event.Suggestion) {
	for _, e := range events {
		if !session.FailedSearch(e) || e.Text() == "" || w.Tree() == nil {
			continue
		}
		idents := e.Call().Idents
		if len(idents) == 0 {
			idents = index.Identifiers(e.Text(), event.MaxCallIdents)
		}
		for _, f := range filesSought(w.Tree(), w.Reader.Contents(), e.Text(), idents) {
			for _, name := range idents {
				if d, ok := index.DefinitionOf(f.File, w.Reader.Text(f.File), name); ok && f.Line == 0 {
					f.Place = d
				}
			}
			out = append(out, f)
		}
	}
	return out
}

// Limits for what a pattern may mean. A name that more files have means none of them.
const (
	mostDefiners = 2
	mostNamed    = 3
	leastPiece   = 4 // least number of letters of a name in a pattern
)

// filesSought returns the files that a search meant if the search itself found no file, or too many:
// those that define an identifier of the pattern (in plain form), then those whose name is nearly in
// the pattern, at most prefetch.MaxFiles. If contents is nil, it is not known what files define. It reads
// the names of all files once, which takes milliseconds.
func filesSought(tree *index.Tree, contents *index.Contents, pattern string, identifiers []string) (out []event.Suggestion) {
	add := func(files []event.Path, text, with string) {
		for _, f := range files {
			known := slices.ContainsFunc(out, func(x event.Suggestion) bool { return x.File == f })
			if len(out) < prefetch.MaxFiles && tree.Has(f) && !known {
				out = append(out, fact(prefetch.Search, f, text+" "+event.Quote(with)))
			}
		}
	}
	if contents != nil {
		for _, name := range identifiers {
			add(contents.Definers(name, mostDefiners), "defines", name)
		}
	}
	for _, name := range namesIn(pattern) {
		called, nearly := tree.CalledLike(name)
		if len(called)+len(nearly) <= mostNamed {
			add(called, "is called", name)
			add(nearly, "has nearly the name", name)
		}
	}
	return out
}

// namesIn returns the names of files that a pattern may mean: the last part of a path or of a glob,
// without special characters.
func namesIn(pattern string) (out []string) {
	for _, part := range strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(" |(){},\"'", r) }) {
		last := part[strings.LastIndexByte(part, '/')+1:]
		if !strings.ContainsAny(part, "/*.") && pattern != part {
			continue
		}
		name := index.PlainName(strings.NewReplacer("*", "", "?", "", "\\", "", "^", "", "$", "",
			"[", "", "]", "").Replace(last))
		if len(name) >= leastPiece && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Limits for finding files that someone else changed.
const (
	// staleSlack is how much later than the last open a file must have been written to count as
	// stale, because a hook reports a write a little after it happened.
	staleSlack = 2 * time.Second
	maxStale   = 20 // files opened last, which are examined
)

// stale returns the files that the session has opened, that have another content on disk now, and
// that no call of the session wrote: a formatter did, or a branch switch, another agent, or a
// person. If the content at the last open is not known, the time of the file decides.
//
// The log does not tell which conversation opened a file, so only the agent itself gets a hint; a
// subagent has read little, and only a moment ago. A file that the client has just refused to
// change is left out, because the client has said why.
func (h *Hints) stale(w *checkout.Checkout, q event.Query, recent []event.Event) (out []event.Suggestion) {
	if q.Session == "" || q.Subagent != "" {
		return nil
	}
	s := h.o.Sessions.Get(q.Session, q.At)
	files := s.Files()
	slices.Reverse(files)
	for _, f := range files[:min(len(files), maxStale)] {
		opened := s.Opened[f]
		written, exists := w.Modified(f)
		if !exists || written.Before(opened.At.Add(staleSlack)) || written.After(q.At.Add(time.Minute)) ||
			w.Changing(q.Session, f, opened.At, q.At) || refused(recent, f) ||
			opened.Blob != "" && opened.Blob == w.Reader.Blob(f) {
			continue
		}
		out = append(out, fact(prefetch.Stale, f,
			"changed "+event.Ago(q.At.Sub(written))+", last read "+event.Ago(q.At.Sub(opened.At))))
	}
	return out
}

// refused reports whether the client has refused to change a file because the agent had not read
// it.
func refused(recent []event.Event, f event.Path) bool {
	return slices.ContainsFunc(recent, func(e event.Event) bool {
		return e.Kind() == event.KindFailed && e.Call().Failure == event.FailUnread && slices.Contains(e.Paths(), f)
	})
}
