package hooks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of a transcript.
const (
	maxLine    = 8 << 20 // bytes of a line that is read; longer ones are skipped
	maxYield   = 500     // events handed over at once
	maxPending = 4096    // calls waiting for their result
)

// TranscriptReport counts what Transcripts found. The format is nobody's promise: what is not understood is
// skipped and counted, never an error.
type TranscriptReport struct {
	Files    int            // files opened
	Sessions int            // sessions that gave events
	Events   int            // events handed over
	Prompts  int            // of these prompts
	Skipped  map[string]int // lines and calls not used, by reason: long, broken, type, elsewhere, double, unpaired, unreadable
}

// Transcripts reads the recorded sessions of Claude Code in dir and below (subagents have files of their own)
// and hands over what happened in r's worktrees, oldest file first, in batches of at most 500 events of one file. Files are
// streamed; memory is bounded by one line of at most 8 MB. A missing dir is an empty one. The error is
// ctx's or yield's; everything else is counted.
func Transcripts(ctx context.Context, dir string, r Repo, yield func([]event.Event) error) (TranscriptReport, error) {
	t := &transcripts{repo: r, yield: yield, seen: map[string]bool{}, sessions: map[string]bool{}, places: map[string]*place{}}
	t.report.Skipped = map[string]int{}
	for _, name := range transcriptFiles(dir) {
		if err := ctx.Err(); err != nil {
			return t.report, err
		}
		if err := t.file(ctx, name); err != nil {
			return t.report, err
		}
	}
	t.report.Sessions = len(t.sessions)
	return t.report, nil
}

// readLine reads one line without its break. One that is longer than maxLine is read over: long is true.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, more := in.ReadSlice('\n')
		if !long && len(line)+len(part) > maxLine {
			line, long = nil, true
		}
		if !long {
			line = append(line, part...)
		}
		if !errors.Is(more, bufio.ErrBufferFull) {
			return line, long, more
		}
	}
}

type transcripts struct {
	repo     Repo
	yield    func([]event.Event) error
	report   TranscriptReport
	seen     map[string]bool   // ids of events and lines: resumed sessions repeat what went before
	sessions map[string]bool   // session ids that gave events
	places   map[string]*place // cwd → its place
	pending  map[string]pendingCall
	batch    []event.Event
}

// pendingCall is a call whose result has not come yet.
type pendingCall struct {
	name, message string
	input         json.RawMessage
}

func (t *transcripts) skip(why string) { t.report.Skipped[why]++ }

func (t *transcripts) file(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		t.skip("unreadable")
		return nil
	}
	defer f.Close()
	t.report.Files++
	t.pending = map[string]pendingCall{}
	in := bufio.NewReaderSize(f, 64<<10)
	for {
		line, long, err := readLine(in)
		switch {
		case long:
			t.skip("long")
		case len(strings.TrimSpace(string(line[:min(len(line), 8)]))) > 0 || len(line) > 8:
			if e := t.line(line, filepath.Base(name)); e != nil {
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
func (t *transcripts) line(raw []byte, file string) error {
	o := parse(raw)
	if o == nil {
		t.skip("broken")
		return nil
	}
	kind := o.text("type")
	if kind != "user" && kind != "assistant" && kind != "system" {
		t.skip("type")
		return nil
	}
	s := t.scene(o, file)
	if s == nil {
		t.skip("elsewhere")
		return nil
	}
	message := o.object("message")
	switch kind {
	case "assistant":
		t.asked(message)
	case "system":
		if o.text("subtype") == "compact_boundary" {
			e := s.event("start:"+o.text("uuid"), event.KindStart)
			e.Tool, e.OK = "compact", true
			return t.add([]event.Event{e})
		}
	default:
		return t.user(s, o, message)
	}
	return nil
}

// scene is the place and time of a line, nil if it happened in another repository.
func (t *transcripts) scene(o object, file string) *scene {
	cwd := o.text("cwd")
	pl, ok := t.places[cwd]
	if !ok {
		pl = newPlace(t.repo, cwd)
		if len(t.places) < 1024 {
			t.places[cwd] = pl
		}
	}
	if _, in := pl.inside(pl.cwd); !in {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, o.text("timestamp"))
	if err != nil {
		return nil
	}
	s := &scene{repo: t.repo, place: pl, agent: "claude", session: o.text("sessionId"), subagent: o.text("agentId"),
		turn: o.text("promptId"), at: at, past: true}
	if id, ok := strings.CutPrefix(strings.TrimSuffix(file, ".jsonl"), "agent-"); ok && s.subagent == "" {
		s.subagent = id
	}
	if s.subagent == "" && o.flag("isSidechain") {
		s.subagent = "sidechain"
	}
	return s
}

// asked keeps the calls of an assistant's message until their results come.
func (t *transcripts) asked(message object) {
	id := message.text("id")
	for _, raw := range message.list("content") {
		b := parse(raw)
		if b.text("type") != "tool_use" || b.text("id") == "" {
			continue
		}
		if len(t.pending) >= maxPending {
			t.skip("unpaired")
			continue
		}
		t.pending[b.text("id")] = pendingCall{name: b.text("name"), message: id, input: b["input"]}
	}
}

// user reads a line that is a prompt, or the results of calls.
func (t *transcripts) user(s *scene, o, message object) error {
	text, typed := stringOf(message["content"])
	var events []event.Event
	for _, raw := range message.list("content") {
		b := parse(raw)
		switch b.text("type") {
		case "tool_result":
			events = append(events, t.answered(s, o, b)...)
		case "text":
			text += b.text("text") + "\n"
			typed = true
		}
	}
	if typed && text != "" && s.subagent == "" && !o.flag("isMeta") && !o.flag("isCompactSummary") && !o.flag("isVisibleInTranscriptOnly") {
		prompts, _ := s.prompt(text, promptID(s.turn, s.session, text, s.at))
		uuid := o.text("uuid")
		if uuid != "" && t.seen["line:"+uuid] {
			t.skip("double")
			prompts = nil
		}
		t.seen["line:"+uuid] = true
		events = append(events, prompts...)
	}
	return t.add(events)
}

// answered joins a result to its call.
func (t *transcripts) answered(s *scene, o, b object) []event.Event {
	id := b.text("tool_use_id")
	p, ok := t.pending[id]
	if !ok {
		t.skip("unpaired")
		return nil
	}
	delete(t.pending, id)
	c := toolCall{name: p.name, id: id, input: parse(p.input), response: o["toolUseResult"]}
	if parse(c.response) == nil {
		c.response = b["content"]
	}
	if b.flag("is_error") {
		c.failed, c.problem = true, output(b["content"])
	}
	scene := *s
	scene.batch = p.message
	return scene.tool(c)
}

// add collects events, each once, and hands them over in batches.
func (t *transcripts) add(events []event.Event) error {
	for _, e := range events {
		if t.seen[e.ID] {
			t.skip("double")
			continue
		}
		t.seen[e.ID] = true
		if len(t.sessions) < 1<<20 {
			t.sessions[e.Session] = true
		}
		if e.Kind == event.KindPrompt {
			t.report.Prompts++
		}
		t.batch = append(t.batch, e)
	}
	if len(t.batch) >= maxYield {
		return t.flush()
	}
	return nil
}

func (t *transcripts) flush() error {
	for len(t.batch) > 0 {
		n := min(len(t.batch), maxYield)
		if err := t.yield(t.batch[:n:n]); err != nil {
			return err
		}
		t.report.Events += n
		t.batch = t.batch[n:]
	}
	t.batch = nil
	return nil
}
