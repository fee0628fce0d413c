package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

var suggestTool = &mcp.Tool{Name: "suggest_files", Meta: loaded, Annotations: reads("Suggest files"),
	Description: "Files most likely needed next, with probability and reasons, from commit history and past sessions. " +
		"With prompt: what such words led to. With files: what goes together with them. With neither: what recent work " +
		"points to."}

type suggestIn struct {
	Files   []string `json:"files,omitempty" jsonschema:"files in hand, relative to the repository or absolute"`
	Prompt  string   `json:"prompt,omitempty" jsonschema:"the task in words"`
	Limit   int      `json:"limit,omitempty" jsonschema:"how many files, 1 to 100; default 5"`
	Session string   `json:"session_id,omitempty" jsonschema:"the agent session to rank for; default: the current one"`
}

type suggestOut struct {
	Files   []suggested `json:"files" jsonschema:"best first, ties by path"`
	At      int64       `json:"at" jsonschema:"when, in unix milliseconds"`
	Session string      `json:"session_id,omitempty" jsonschema:"the session that was ranked for"`
}

type suggested struct {
	File        string   `json:"file"`
	Probability float64  `json:"probability" jsonschema:"that it is opened within the next 10 file events, or belongs to the change"`
	Reasons     []string `json:"reasons" jsonschema:"strongest first"`
}

func (s *server) suggestFiles(ctx context.Context, r Repo, in suggestIn) (suggestOut, error) {
	files, err := r.files(ctx, in.Files, false)
	if err != nil {
		return suggestOut{}, err
	}
	session, err := s.session(ctx, r, in.Session)
	if err != nil {
		return suggestOut{}, err
	}
	q := event.Query{Session: session, Files: files, Prompt: in.Prompt, Limit: in.Limit}
	q.Task = taskOf(q)
	ans, err := api.Call(ctx, r.Client, api.Rank, q)
	if err != nil {
		return suggestOut{}, err
	}
	out := suggestOut{Files: []suggested{}, At: ans.At, Session: session}
	for _, f := range ans.Suggestions {
		out.Files = append(out.Files, suggested{f.File.Display(), digits(f.Score), words(f.Reasons)})
	}
	return out, nil
}

// taskOf says which question it is, as the command line does.
func taskOf(q event.Query) event.Task {
	switch {
	case q.Prompt != "":
		return event.TaskPrompt
	case len(q.Files) > 0:
		return event.TaskChange
	}
	return event.TaskNext
}

// words are the reasons that have any; where none has, the strongest is named by its signal.
func words(reasons []event.Reason) []string {
	out := []string{}
	for _, r := range reasons {
		if r.Text != "" && r.Value*r.Weight > 0 {
			out = append(out, r.Text)
		}
	}
	if len(out) == 0 && len(reasons) > 0 {
		out = append(out, reasons[0].Signal)
	}
	return out
}

// digits rounds a probability to what it can mean: four places.
func digits(p float64) float64 { return float64(int64(p*10000+0.5)) / 10000 }
