package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
)

var feedbackTool = &mcp.Tool{Name: "feedback", Meta: found("tell aOa whether a suggested file helped"),
	Annotations: additive("Say whether a suggestion helped"),
	Description: "Records whether a suggestion helped. It moves the probability from which hints are shown: a little " +
		"up after false, a little down after true."}

type feedbackIn struct {
	Helpful bool   `json:"helpful" jsonschema:"whether it helped"`
	File    string `json:"file,omitempty" jsonschema:"the file it is about"`
	about
}

type feedbackOut struct {
	Threshold float64 `json:"threshold" jsonschema:"the probability from which hints are shown now"`
	Session   string  `json:"session_id,omitempty" jsonschema:"the session it was noted for"`
}

func (s *server) feedback(ctx context.Context, r Repo, in feedbackIn) (feedbackOut, error) {
	req := api.FeedbackRequest{Helpful: in.Helpful, Session: in.Session}
	var err error
	if in.File != "" {
		if req.File, err = r.file(ctx, in.File); err != nil {
			return feedbackOut{}, err
		}
	}
	ans, err := api.Call(ctx, r.Client, api.Feedback, req)
	return feedbackOut{ans.Value, req.Session}, err
}

// additive describes a tool that stores something, or runs what the settings allow, and removes nothing.
func additive(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: &no, OpenWorldHint: &no}
}
