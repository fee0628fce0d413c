package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
)

var contextTool = &mcp.Tool{Name: "session_context",
	Meta:        found("what was said and done before: earlier prompts, actions, failing tests, uncommitted changes"),
	Annotations: reads("What was said and done"),
	Description: "What was said and done in a session, within a token budget: the user's prompts, the actions in " +
		"short, what fails, what is changed and not committed. For a prompt: also earlier prompts of this repository like " +
		"it, and the files they led to."}

type contextIn struct {
	For    string `json:"for,omitempty" jsonschema:"action (default): where does the work stand; prompt: has this been asked before"`
	Prompt string `json:"prompt,omitempty" jsonschema:"with for=prompt: what is asked; default: the session's last prompt"`
	Budget int    `json:"budget,omitempty" jsonschema:"tokens, four bytes each; default 499"`
	about
}

type contextOut struct {
	Context string `json:"context" jsonschema:"empty if nothing was said or done"`
	Tokens  int    `json:"tokens" jsonschema:"estimated"`
	Session string `json:"session_id"`
}

func (s *server) sessionContext(ctx context.Context, r Repo, in contextIn) (contextOut, error) {
	ans, err := api.Call(ctx, r.Client, api.Context, api.ContextRequest{Session: in.Session, For: in.For,
		Prompt: in.Prompt, Budget: in.Budget})
	var lines []string
	for _, seg := range ans.Segments {
		lines = append(lines, seg.Content)
	}
	return contextOut{strings.Join(lines, "\n"), ans.Tokens, ans.Session}, err
}
