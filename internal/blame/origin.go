package blame

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/watcher"
)

// MaxLines is how many lines one question may cover.
const MaxLines = 200

// Origin says where consecutive lines come from.
type Origin struct {
	From   int     `json:"from"`             // the first line, from 1
	To     int     `json:"to"`               // the last line
	Text   string  `json:"text"`             // the first line as it is now
	Commit *Commit `json:"commit,omitempty"` // nil: not committed
	Edit   *Edit   `json:"edit,omitempty"`   // nil: no agent is known to have written the lines
	// Sessions lists the sessions that edited the file when the line appeared. It is set only if no
	// edit is known to have written the line.
	Sessions []Session `json:"sessions,omitempty"`
}

// Commit is the commit of a line, as git reports it.
type Commit struct {
	ID      string     `json:"id"`
	By      string     `json:"by"` // name of its author
	At      time.Time  `json:"at"` // when the author made it
	Subject string     `json:"subject"`
	File    event.Path `json:"file,omitempty"` // name of the file in this commit
	// whether the clone's history begins with this commit: the line may be older
	Cut  bool         `json:"shallow,omitempty"`
	With []event.Path `json:"with,omitempty"` // other files that it changed, at most maxWith
	More int          `json:"more,omitempty"` // number of further files
}

// Edit is the agent's call that wrote a line.
type Edit struct {
	Session
	Prompt string       `json:"prompt,omitempty"` // prompt of the turn, in one line
	With   []event.Path `json:"with,omitempty"`   // other files edited in the turn, at most maxWith
	More   int          `json:"more,omitempty"`
	// the last check that the session ran after it and before the commit
	Check *Check `json:"check,omitempty"`
}

// Session is a session that edited the file, with the time of its last edit.
type Session struct {
	Agent string    `json:"agent"`
	ID    string    `json:"session_id"`
	Side  bool      `json:"subagent,omitempty"` // whether a subagent made the edit
	At    time.Time `json:"at"`
}

// Check is a command that runs tests, a build or a linter. It is quoted without judging the result.
type Check struct {
	Command string    `json:"command"`
	Exit    string    `json:"exit,omitempty"`    // its exit status, if the status belongs to the check alone
	Failing []string  `json:"failing,omitempty"` // lines of its output that name failures, at most three
	At      time.Time `json:"at"`
}

// Limits of an answer.
const (
	maxWith     = 5    // other files
	maxSessions = 5    // sessions that edited the file
	maxFailing  = 3    // lines of a check
	maxText     = 300  // bytes of a prompt, a command or a line
	maxThread   = 2500 // newest events of a session, which are read
	maxEdits    = 300  // newest edits of a file, which are read
)

// Finder finds the origins of lines. All fields are required.
type Finder struct {
	DB   *cold.DB
	Repo *watcher.Repo
	// Texts returns the texts that a call replaced in its file, as package reload has kept them;
	// nil if none are kept.
	Texts func(ctx context.Context, id string) []event.Swap
	// Blob returns the content of a git blob by its ID, or nil if git does not have it.
	Blob func(ctx context.Context, id string) []byte
	Now  func() time.Time
}

// Find returns the origins of the lines from to to of a file, in order. text is the current content
// of the file. Errors come from git or the log.
func (f Finder) Find(ctx context.Context, file event.Path, text []byte, from, to int) ([]Origin, error) {
	lines, err := f.blame(ctx, file, from, to)
	if err != nil {
		return nil, err
	}
	now := newLines(string(text))
	eras := map[string]era{}
	var out []Origin
	var writer string // the call that wrote the last lines of out
	for _, l := range lines {
		key := l.Commit + "\x00" + string(l.File)
		e, known := eras[key]
		if !known {
			if e, err = f.era(ctx, l); err != nil {
				return nil, err
			}
			eras[key] = e
		}
		call := e.writer(now, l.Line-1)
		if n := len(out); n > 0 && call == writer && e.commit == out[n-1].Commit {
			out[n-1].To = l.Line
			continue
		}
		o := Origin{From: l.Line, To: l.Line, Text: clip(now.text(l.Line - 1)), Commit: e.commit, Sessions: e.sessions}
		if writer = call; call != "" {
			o.Sessions = nil
			if o.Edit, err = f.edit(ctx, e, call); err != nil {
				return nil, err
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// blame asks git for the commits of some lines. If HEAD does not have the file, all lines are
// uncommitted; for other files an error of git is returned.
func (f Finder) blame(ctx context.Context, file event.Path, from, to int) (lines []watcher.BlamedLine, err error) {
	lines, err = f.Repo.Blame(ctx, file, from, to)
	if err == nil {
		return lines, nil
	}
	if committed, unknown := f.Repo.InHead(ctx, file); committed || unknown != nil {
		return nil, err
	}
	for line := from; line <= to; line++ {
		lines = append(lines, watcher.BlamedLine{Line: line, File: file})
	}
	return lines, nil
}

// era is the time in which the lines of one commit, or the uncommitted ones, were written, with the
// edits that agents made then.
type era struct {
	file     event.Path
	commit   *Commit // nil if not committed
	until    time.Time
	edits    []edit // oldest first
	sessions []Session
}

// era collects what is known about the time in which a line was written.
func (f Finder) era(ctx context.Context, l watcher.BlamedLine) (e era, err error) {
	e.file, e.until = l.File, f.Now().Add(time.Millisecond) // a millisecond is the log's resolution
	written := e.until
	if l.Commit != "" {
		if e.commit, err = f.commit(ctx, l); err != nil {
			return e, err
		}
		e.until, written = l.Recorded.Add(time.Second), l.Written.Add(time.Second) // git's resolution is a second
	}
	calls, err := f.DB.Log(ctx, cold.LogFilter{File: l.File, Until: e.until, Limit: maxEdits,
		Kinds: []event.Kind{event.KindEdit, event.KindWrite}})
	calls = slices.DeleteFunc(calls, func(c event.Event) bool { return c.Session == "" || c.Origin != "" })
	if err != nil || len(calls) == 0 {
		return e, err
	}
	slices.Reverse(calls)
	// Edits up to the previous commit of the file belong to that commit. A previous commit that was
	// written later than this one was put before it by a rebase. Without HEAD there is no previous
	// commit.
	before, err := f.Repo.WrittenBefore(ctx, l.Commit, l.File, calls[0].Time.Add(-time.Second))
	if err != nil && l.Commit != "" {
		return e, err
	}
	var since time.Time
	for _, at := range before {
		if at.After(since) && at.Before(written) {
			since = at
		}
	}
	for _, call := range calls {
		if call.Time.Before(since) {
			continue
		}
		e.note(Session{call.Agent, call.Session, call.Subagent != "", call.Time})
		if !l.Cut {
			e.edits = append(e.edits, f.read(ctx, call))
		}
	}
	return e, nil
}

// note adds a session that edited the file, the newest first.
func (e *era) note(s Session) {
	e.sessions = slices.DeleteFunc(e.sessions, func(o Session) bool { return o.ID == s.ID })
	e.sessions = slices.Insert(e.sessions, 0, s)
	e.sessions = e.sessions[:min(len(e.sessions), maxSessions)]
}

// commit returns the commit of a line.
func (f Finder) commit(ctx context.Context, l watcher.BlamedLine) (*Commit, error) {
	out := &Commit{ID: l.Commit, By: clip(l.By), At: l.Written, Subject: clip(l.Subject), File: l.File, Cut: l.Cut}
	if l.Cut {
		return out, nil // a shallow commit: git shows all files as changed
	}
	files, err := f.Repo.FilesOf(ctx, l.Commit)
	out.With, out.More = others(files, l.File)
	return out, err
}

// edit returns the call that wrote a line, with what is known of its turn.
func (f Finder) edit(ctx context.Context, e era, id string) (*Edit, error) {
	call := e.edits[slices.IndexFunc(e.edits, func(o edit) bool { return o.ID == id })].Event
	out := &Edit{Session: Session{call.Agent, call.Session, call.Subagent != "", call.Time}}
	did, err := f.DB.Log(ctx, cold.LogFilter{Session: call.Session, Until: e.until, Limit: maxThread,
		Kinds: []event.Kind{event.KindPrompt, event.KindEdit, event.KindWrite, event.KindRun}})
	var files []event.Path
	for _, d := range did { // the newest first
		before := !d.Time.After(call.Time)
		if d.Kind() == event.KindPrompt && before {
			out.Prompt = clip(d.Text()) // "" if it cannot be read: an earlier prompt would belong to another turn
			break
		}
		switch c := d.Call(); {
		case d.Kind() == event.KindPrompt:
			files = nil // files of a later turn
		case d.Kind() != event.KindRun:
			files = append(files, d.Paths()...)
		case c.Checks && !before && out.Check == nil && d.Text() != "":
			out.Check = &Check{Command: clip(d.Text()), Exit: c.Exit, At: d.Time}
			for _, line := range c.Failing[:min(len(c.Failing), maxFailing)] {
				out.Check.Failing = append(out.Check.Failing, clip(line))
			}
		}
	}
	slices.Reverse(files)
	out.With, out.More = others(files, e.file)
	return out, err
}

// others returns the files other than one, each once, at most maxWith, and how many more there are.
func others(files []event.Path, one event.Path) (out []event.Path, more int) {
	for _, f := range files {
		if f != one && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	n := min(len(out), maxWith)
	return out[:n], len(out) - n
}

// clip shortens a text to one line of at most maxText bytes.
func clip(s string) string { return event.ClipLine(s, maxText) }
