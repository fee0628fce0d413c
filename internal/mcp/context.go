package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/blame"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/contexts"
)

var contextTool = &mcp.Tool{Name: "session_context",
	Meta: found("what was said and done before: earlier prompts, actions, the last check, uncommitted changes; why a " +
		"line is there"),
	Annotations: reads("What was said and done"),
	Description: "Where the work stands: prompts, actions, last check, open changes. prompt: earlier ones " +
		"and their files. line (FILE:LINE): why it is there."}

type contextIn struct {
	Prompt string `json:"prompt,omitempty"`
	Line   string `json:"line,omitempty"`
}

type contextOut struct {
	Context string `json:"context"`
}

func (s *server) sessionContext(ctx context.Context, r Repo, session string, in contextIn) (contextOut, error) {
	if in.Line != "" {
		return s.whyLine(ctx, r, in.Line)
	}
	q := contexts.Request{Session: session, Prompt: in.Prompt}
	if in.Prompt != "" {
		q.For = contexts.ForPrompt
	}
	ans, err := api.Call(ctx, r.Client, api.Context, q)
	var lines []string
	for _, seg := range ans.Segments {
		lines = append(lines, seg.Content)
	}
	return contextOut{strings.Join(lines, "\n")}, err
}

// whyLine says where lines come from. Texts from the repository are kept on one line each, so that
// they cannot imitate the answer.
func (s *server) whyLine(ctx context.Context, r Repo, typed string) (out contextOut, err error) {
	name, from, to, ok := blame.Typed(typed)
	if !ok {
		return out, event.BadRequest("give FILE:LINE or FILE:10-20", "%.80q has no line", typed)
	}
	files, notes, err := r.files(ctx, []string{name}, false)
	if err != nil || len(files) != 1 {
		return contextOut{strings.Join(notes, "\n")}, err
	}
	ans, err := api.Call(ctx, r.Client, api.WhyLine, api.WhyLineRequest{File: files[0], From: from, To: to})
	var lines []string
	for _, o := range ans.Lines {
		lines = append(lines, o.Place(files[0].Display())+" "+event.Path(o.Text).Quoted())
		lines = append(lines, o.Format(files[0], event.Path.Display, func(at time.Time) string {
			return at.UTC().Format(time.DateTime)
		})...)
	}
	return contextOut{strings.Join(lines, "\n")}, err
}
