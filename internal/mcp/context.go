package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
)

var contextTool = &mcp.Tool{Name: "session_context",
	Meta:        found("what was said and done before: earlier prompts, actions, the last check, uncommitted changes"),
	Annotations: reads("What was said and done"),
	Description: "Where the work stands: prompts, actions, the last check, what is not committed. With prompt: earlier " +
		"prompts like it and their files."}

type contextIn struct {
	Prompt string `json:"prompt,omitempty"`
}

type contextOut struct {
	Context string `json:"context"`
}

func (s *server) sessionContext(ctx context.Context, r Repo, session string, in contextIn) (contextOut, error) {
	q := api.ContextRequest{Session: session, Prompt: in.Prompt}
	if in.Prompt != "" {
		q.For = "prompt"
	}
	ans, err := api.Call(ctx, r.Client, api.Context, q)
	var lines []string
	for _, seg := range ans.Segments {
		lines = append(lines, seg.Content)
	}
	return contextOut{strings.Join(lines, "\n")}, err
}
