package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ErrRefused is wrapped by every refusal to edit somebody's file. Nothing was changed then.
var ErrRefused = errors.New("not edited")

// Refusal says why a file was left alone, and what to put there by hand.
type Refusal struct {
	File    string
	Why     string // "it is not valid JSON (…)"
	Snippet string // what should be in the file; empty when removing
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("edit %s: %s: %v; change it by hand", r.File, r.Why, ErrRefused)
}

// Unwrap makes errors.Is(err, ErrRefused) hold.
func (r *Refusal) Unwrap() error { return ErrRefused }

// Change is what became of a file.
type Change struct {
	File string
	Done string // "created", "changed", "unchanged", "deleted", or "absent" when there was nothing to remove
}

// What became of a file.
const (
	Created   = "created"
	Changed   = "changed"
	Unchanged = "unchanged"
	Deleted   = "deleted"
	Absent    = "absent"
)

// Status is what a settings file or git hook holds of ours.
type Status struct {
	File   string
	State  string   // "installed", "outdated", "absent", "refused"
	Events []string // that run aoa, in the file's order
	Note   string   // why refused
}

// States of an installation.
const (
	Installed = "installed"
	Outdated  = "outdated"
	Refused   = "refused"
)

// ClaudeOptions are for InstallClaude; the zero value works.
type ClaudeOptions struct {
	Command string // default ClaudeCommand
	Within  string // a symlink may lead anywhere inside this folder; default: the parent of the file's folder
}

func (o ClaudeOptions) command() string {
	if o.Command == "" {
		return ClaudeCommand
	}
	return o.Command
}

// ClaudeCommand is what Claude Code runs at each event. The guard makes it a silent no-op when the binary is
// gone: without it the client shows an error line at every event.
const ClaudeCommand = "command -v aoa >/dev/null 2>&1 || exit 0; exec aoa hook claude"

// The tools whose calls say which files are used. Grep, Glob and PowerShell exist on some systems only.
const (
	fileTools = "Read|Edit|Write|NotebookEdit"
	allTools  = fileTools + "|Grep|Glob|Bash|PowerShell|Agent|Task"
)

// claudeGroups are the events that pay. Not among them: SubagentStart (the first call of a subagent says the
// same), PreCompact (SessionStart with source compact follows), WorktreeCreate (registering it replaces
// Claude's own), MessageDisplay and the like (nothing about files). Events that only teach are asynchronous.
func claudeGroups(command string) []group {
	one := func(event, matcher string, timeout int, async bool) group {
		return group{Event: event, Matcher: matcher,
			Hooks: []handler{{Type: "command", Command: command, Timeout: timeout, Async: async}}}
	}
	return []group{
		one("SessionStart", "startup|resume|clear|compact|fork", 5, false),
		one("UserPromptSubmit", "", 3, false),
		one("PreToolUse", fileTools, 2, false),
		one("PostToolUse", allTools, 0, true),
		one("PostToolUseFailure", allTools, 0, true),
		one("PostToolBatch", "", 2, false), // the only event of a failed Edit; answers rescue and stale
		one("Stop", "", 0, true),
		one("SessionEnd", "", 1, false), // asynchronous ones are killed when the client leaves
	}
}

var ourCommand = regexp.MustCompile(`(^|[\s;&|/\\"'])aoa(\.exe)?["']?\s+hook\s+claude\b`)

// ofClaude recognises our handlers by their command, whoever wrote them.
func ofClaude(h handler) bool {
	return ourCommand.MatchString(h.Command + " " + strings.Join(h.Args, " "))
}

// ClaudeSnippet is the whole of what InstallClaude enters, for those who wire by hand.
func ClaudeSnippet(o ClaudeOptions) string {
	return indent(`{"hooks":`+eventsJSON(claudeGroups(o.command()))+`}`, "", "  ") + "\n"
}

// InstallClaude enters our hook groups into a settings file of Claude Code and keeps every other byte of it.
// Twice is once; groups of an older version are replaced. The error is a *Refusal when the file cannot be
// edited safely.
func InstallClaude(file string, o ClaudeOptions) (Change, error) {
	f, err := openSettings(file, o)
	if err != nil {
		return Change{}, err
	}
	if f.old == nil {
		return f.write(Created, []byte(ClaudeSnippet(o)))
	}
	s, err := parseSettings(f.old)
	if err != nil {
		return Change{}, f.refuse(err.Error())
	}
	want := claudeGroups(o.command())
	have, mixed := s.own(ofClaude)
	if !mixed && sameGroups(have, want) {
		return Change{File: file, Done: Unchanged}, nil
	}
	if mixed || len(have) > 0 {
		rest, empty := s.excise(ofClaude)
		if empty {
			return f.write(Changed, []byte(ClaudeSnippet(o)))
		}
		if s, err = parseSettings(rest); err != nil {
			return Change{}, f.refuse(err.Error())
		}
	}
	out := s.insert(want)
	if _, err := parseSettings(out); err != nil {
		return Change{}, f.refuse("editing it would break it: " + err.Error())
	}
	return f.write(Changed, out)
}

// RemoveClaude takes our handlers out. If nothing else has changed since InstallClaude, the file is as it was
// before, to the byte; a file that InstallClaude made is deleted.
func RemoveClaude(file string, o ClaudeOptions) (Change, error) {
	f, err := openSettings(file, o)
	if err != nil {
		return Change{}, err
	}
	f.snippet = ""
	if f.old == nil || !bytes.Contains(f.old, []byte("aoa")) {
		return Change{File: file, Done: Absent}, nil
	}
	s, err := parseSettings(f.old)
	if err != nil {
		return Change{}, f.refuse(err.Error())
	}
	out, empty := s.excise(ofClaude)
	switch {
	case empty:
		return f.remove()
	case bytes.Equal(out, f.old):
		return Change{File: file, Done: Absent}, nil
	}
	if _, err := parseSettings(out); err != nil {
		return Change{}, f.refuse("editing it would break it: " + err.Error())
	}
	return f.write(Changed, out)
}

// StatusClaude says what InstallClaude would find.
func StatusClaude(file string, o ClaudeOptions) (Status, error) {
	st := Status{File: file, State: Absent}
	f, err := openSettings(file, o)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		st.State, st.Note = Refused, refusal.Why
		return st, nil
	}
	if err != nil || f.old == nil {
		return st, err
	}
	s, err := parseSettings(f.old)
	if err != nil {
		st.State, st.Note = Refused, err.Error()
		return st, nil
	}
	have, mixed := s.own(ofClaude)
	for _, g := range have {
		st.Events = append(st.Events, g.Event)
	}
	if mixed || len(have) > 0 {
		st.State = Outdated
		if !mixed && sameGroups(have, claudeGroups(o.command())) {
			st.State = Installed
		}
	}
	return st, nil
}

// sameGroups compares in any order: the file's own order of events stands.
func sameGroups(have, want []group) bool {
	return len(have) == len(want) && !slices.ContainsFunc(want, func(w group) bool {
		return !slices.ContainsFunc(have, func(h group) bool { return sameGroup(h, w) })
	})
}

func sameGroup(a, b group) bool {
	return a.Event == b.Event && a.Matcher == b.Matcher && slices.EqualFunc(a.Hooks, b.Hooks, func(x, y handler) bool {
		return x.Command == y.Command && x.Timeout == y.Timeout && x.Async == y.Async && slices.Equal(x.Args, y.Args)
	})
}

// settingsFile is a file that is about to be edited.
type settingsFile struct {
	name    string // as the caller knows it
	target  string // symlinks resolved
	old     []byte // nil: it does not exist
	mode    fs.FileMode
	snippet string
}

func (f *settingsFile) refuse(why string) error {
	return &Refusal{File: f.name, Why: why, Snippet: f.snippet}
}

// openSettings reads the file and refuses what a rename would harm.
func openSettings(name string, o ClaudeOptions) (*settingsFile, error) {
	f := &settingsFile{name: name, target: name, mode: 0o644, snippet: ClaudeSnippet(o)}
	within := o.Within
	if within == "" {
		within = filepath.Dir(filepath.Dir(name))
	}
	st, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, f.checkFolder(within)
	}
	if err != nil {
		return nil, fmt.Errorf("look at settings: %w", err)
	}
	if f.target, err = filepath.EvalSymlinks(name); err != nil {
		return nil, f.refuse("it is a symbolic link to nothing")
	}
	if !inside(within, f.target) {
		return nil, f.refuse("it is a symbolic link to " + f.target)
	}
	if st, err = os.Stat(f.target); err != nil {
		return nil, fmt.Errorf("look at settings: %w", err)
	}
	switch {
	case !st.Mode().IsRegular():
		return nil, f.refuse("it is not a regular file")
	case st.Mode().Perm()&0o200 == 0:
		return nil, f.refuse("it is read-only")
	case st.Size() > 16<<20:
		return nil, f.refuse("it is larger than 16 MB")
	}
	f.mode = st.Mode().Perm()
	if f.old, err = os.ReadFile(f.target); err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	if f.old == nil {
		f.old = []byte{}
	}
	return f, nil
}

func (f *settingsFile) checkFolder(within string) error {
	dir, err := filepath.EvalSymlinks(filepath.Dir(f.name))
	if err == nil && !inside(within, dir) {
		return f.refuse("its folder is a symbolic link to " + dir)
	}
	return nil
}

// inside reports whether name (symlinks resolved) lies in dir.
func inside(dir, name string) bool {
	if d, err := filepath.EvalSymlinks(dir); err == nil {
		dir = d
	}
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

func (f *settingsFile) write(done string, b []byte) (Change, error) {
	if f.old == nil {
		if err := os.MkdirAll(filepath.Dir(f.target), 0o755); err != nil {
			return Change{}, fmt.Errorf("write settings: %w", err)
		}
	}
	if err := replaceFile(f.target, f.old, b, f.mode); err != nil {
		return Change{}, fmt.Errorf("write settings: %w", err)
	}
	return Change{File: f.name, Done: done}, nil
}

// remove deletes the file, and its folder if nothing else is in it.
func (f *settingsFile) remove() (Change, error) {
	if err := os.Remove(f.target); err != nil {
		return Change{}, fmt.Errorf("delete settings: %w", err)
	}
	_ = os.Remove(filepath.Dir(f.target))
	return Change{File: f.name, Done: Deleted}, nil
}
