package transcript

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Limits for reading a transcript.
const (
	maxLine    = 8 << 20 // bytes of a line; longer ones are skipped
	maxYield   = 500     // events or requests that are yielded at once
	maxPending = 4096    // calls that wait for their result
)

// Report counts what Read found. The makers of the format promise nothing, so what is not
// understood is skipped and counted, and never an error.
type Report struct {
	Files    int // files that were opened
	Sessions int // sessions that gave events
	Events   int // events that were yielded
	Prompts  int // how many of them are prompts
	// Skipped counts the lines and calls that were skipped, by reason: long, broken, type,
	// elsewhere, double, unpaired, unreadable.
	Skipped map[string]int
}

// Read reads the sessions that Claude Code has recorded in dir and below (subagents have files of
// their own). It yields what happened in r's worktrees, oldest file first, in batches of at most
// 500 events from one file. Files are streamed; memory is limited to one line of at most 8 MB. A
// missing dir counts as empty. progress is called with the number of files that have been read; it
// may be nil. The error is that of ctx or of yield; all other problems are only counted.
func Read(ctx context.Context, dir string, r hooks.Repo, progress func(done, total int),
	yield func([]event.Event) error) (Report, error) {
	t := &reader{repo: r, known: map[string]*index.Locator{}, yield: yield, seen: map[string]bool{},
		sessions: map[string]bool{}}
	t.report.Skipped = map[string]int{}
	all := files(dir)
	for i, name := range all {
		if err := ctx.Err(); err != nil {
			return t.report, err
		}
		if progress != nil {
			progress(i, len(all))
		}
		if err := t.file(ctx, name); err != nil {
			return t.report, err
		}
	}
	t.report.Sessions = len(t.sessions)
	return t.report, nil
}

// line is a line of a transcript. A field of an unexpected type is empty.
type line struct {
	Type        string  `json:"type"`
	Subtype     string  `json:"subtype"`
	UUID        string  `json:"uuid"`
	Cwd         string  `json:"cwd"`
	Timestamp   string  `json:"timestamp"`
	Session     string  `json:"sessionId"`
	Subagent    string  `json:"agentId"`
	Prompt      string  `json:"promptId"`
	Sidechain   bool    `json:"isSidechain"`
	Meta        bool    `json:"isMeta"`
	Summary     bool    `json:"isCompactSummary"`
	OnlyVisible bool    `json:"isVisibleInTranscriptOnly"`
	Message     message `json:"message"`
	Result      any     `json:"toolUseResult"`
}

type message struct {
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"` // a text, or a list of blocks
}

// block is a part of a message: a text, a call of a tool, or its result.
type block struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Input   map[string]any `json:"input"`
	Call    string         `json:"tool_use_id"`
	Failed  bool           `json:"is_error"`
	Content any            `json:"content"`
}

// parse decodes JSON as far as its types fit. It returns false if it is not JSON, or not an object.
func parse(raw []byte, into any) bool {
	err := json.Unmarshal(raw, into)
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || ok && wrong.Field != ""
}

// content returns the text of a message, if it is one, and its blocks.
func (m message) content() (text string, typed bool, blocks []block) {
	if json.Unmarshal(m.Content, &text) == nil && len(m.Content) > 0 && m.Content[0] == '"' {
		return text, true, nil
	}
	var list []json.RawMessage
	_ = json.Unmarshal(m.Content, &list)
	for _, raw := range list {
		var b block
		if parse(raw, &b) {
			blocks = append(blocks, b)
		}
	}
	return "", false, blocks
}

// context returns where and when a line was written, nil if that was in another repository. file is
// the name of the transcript.
func (t *reader) context(l *line, file string) *hooks.CallContext {
	at, ok := t.known[l.Cwd]
	if !ok {
		at = t.repo.Locator(l.Cwd)
		if len(t.known) < 1024 {
			t.known[l.Cwd] = at
		}
	}
	when, err := time.Parse(time.RFC3339Nano, l.Timestamp)
	if _, in := at.Inside(at.Cwd); !in || err != nil {
		return nil
	}
	c := &hooks.CallContext{Repo: t.repo, Files: at, Agent: "claude", Session: l.Session, Subagent: l.Subagent,
		Turn: l.Prompt,
		Time: when, Past: true}
	if id, ok := strings.CutPrefix(strings.TrimSuffix(file, ".jsonl"), "agent-"); ok && c.Subagent == "" {
		c.Subagent = id
	}
	if c.Subagent == "" && l.Sidechain {
		c.Subagent = "sidechain"
	}
	return c
}

type reader struct {
	repo     hooks.Repo
	known    map[string]*index.Locator // by working folder
	yield    func([]event.Event) error
	report   Report
	seen     map[string]bool // ids of events and lines, because resumed sessions repeat earlier ones
	sessions map[string]bool // ids of sessions that gave events
	pending  map[string]pendingCall
	batch    []event.Event
}

// pendingCall is a call whose result has not come yet.
type pendingCall struct {
	name, message string
	input         map[string]any
}

func (t *reader) skip(why string) { t.report.Skipped[why]++ }

func (t *reader) file(ctx context.Context, name string) error {
	f, err := regularfile.Open(name, regularfile.NoLinks)
	if err != nil {
		t.skip("unreadable")
		return nil
	}
	defer f.Close()
	t.report.Files++
	t.pending = map[string]pendingCall{}
	in := bufio.NewReaderSize(f, 64<<10)
	for {
		text, err := regularfile.Line(in, maxLine+1)
		switch {
		case len(text) > maxLine:
			t.skip("long")
		case len(text) > 8 || strings.TrimSpace(string(text)) != "":
			if e := t.line(text, filepath.Base(name)); e != nil {
				return e
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.skip("unreadable")
			}
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for range t.pending {
		t.skip("unpaired")
	}
	return t.flush()
}

// line reads one line of a transcript.
func (t *reader) line(raw []byte, file string) error {
	var l line
	if !parse(raw, &l) {
		t.skip("broken")
		return nil
	}
	if l.Type != "user" && l.Type != "assistant" && l.Type != "system" {
		t.skip("type")
		return nil
	}
	at := t.context(&l, file)
	if at == nil {
		t.skip("elsewhere")
		return nil
	}
	switch {
	case l.Type == "assistant":
		t.called(l.Message)
	case l.Type == "user":
		return t.user(at, &l)
	case l.Subtype == "compact_boundary":
		return t.add([]event.Event{at.Compacted(l.UUID)})
	}
	return nil
}

// called keeps the calls in an assistant's message until their results come.
func (t *reader) called(m message) {
	_, _, blocks := m.content()
	for _, b := range blocks {
		switch {
		case b.Type != "tool_use" || b.ID == "":
		case len(t.pending) >= maxPending:
			t.skip("unpaired")
		default:
			t.pending[b.ID] = pendingCall{name: b.Name, message: m.ID, input: b.Input}
		}
	}
}

// user reads a line that is a prompt or has the results of calls.
func (t *reader) user(at *hooks.CallContext, l *line) error {
	text, typed, blocks := l.Message.content()
	var events []event.Event
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			events = append(events, t.result(at, l, b)...)
		case "text":
			text += b.Text + "\n"
			typed = true
		}
	}
	if typed && text != "" && at.Subagent == "" && !l.Meta && !l.Summary && !l.OnlyVisible {
		if l.UUID != "" && t.seen["line:"+l.UUID] {
			t.skip("double")
		} else {
			prompts, _ := at.Prompt(text)
			events = append(events, prompts...)
		}
		t.seen["line:"+l.UUID] = true
	}
	return t.add(events)
}

// result joins a result with its call.
func (t *reader) result(at *hooks.CallContext, l *line, b block) []event.Event {
	p, ok := t.pending[b.Call]
	if !ok {
		t.skip("unpaired")
		return nil
	}
	delete(t.pending, b.Call)
	c := hooks.ToolCall{Name: p.name, ID: b.Call, Input: p.input, Response: b.Content, Failed: b.Failed}
	if structured, ok := l.Result.(map[string]any); ok && !b.Failed {
		c.Response = structured
	}
	call := *at
	call.Batch = p.message
	return call.Tool(c)
}

// add collects events, each once, and yields them in batches.
func (t *reader) add(events []event.Event) error {
	for _, e := range events {
		if t.seen[e.ID] {
			t.skip("double")
			continue
		}
		t.seen[e.ID] = true
		if len(t.sessions) < 1<<20 {
			t.sessions[e.Session] = true
		}
		if e.Kind() == event.KindPrompt {
			t.report.Prompts++
		}
		t.batch = append(t.batch, e)
	}
	if len(t.batch) >= maxYield {
		return t.flush()
	}
	return nil
}

func (t *reader) flush() error {
	for part := range slices.Chunk(t.batch, maxYield) {
		if err := t.yield(part); err != nil {
			return err
		}
		t.report.Events += len(part)
	}
	t.batch = nil
	return nil
}

// maxSlug is the length of the longest folder name that Claude Code uses as it is. It cuts a longer
// one and adds a hash that aOa cannot compute.
const maxSlug = 200

// Dir returns the folder in which Claude Code keeps transcripts of sessions that were started in
// root, "" if it is not known. config is the agent's own folder.
func Dir(config string, root event.Root) string {
	slug := slugOf(root)
	if len(slug) > maxSlug {
		return ""
	}
	return filepath.Join(config, "projects", slug)
}

// slugOf returns the name that the agent gives the folder of a worktree: everything but letters and
// digits becomes a dash.
func slugOf(root event.Root) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '-'
	}, string(root))
}

// files lists the .jsonl files below dir, the one that was changed first first, equal ones by name.
func files(dir string) []string {
	if dir == "" {
		return nil
	}
	type file struct {
		name    string
		changed time.Time
	}
	var found []file
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".jsonl" || !d.Type().IsRegular() {
			return nil // a folder that cannot be read counts as empty
		}
		if info, err := d.Info(); err == nil {
			found = append(found, file{name, info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(found, func(a, b file) int {
		return cmp.Or(a.changed.Compare(b.changed), cmp.Compare(a.name, b.name))
	})
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.name
	}
	return out
}
