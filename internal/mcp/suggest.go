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
	Files  []string `json:"files,omitempty" jsonschema:"files in hand, relative to the repository or absolute"`
	Prompt string   `json:"prompt,omitempty" jsonschema:"the task in words"`
	Limit  int      `json:"limit,omitempty" jsonschema:"how many files, 1 to 100; default 5"`
	about
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
	q, err := r.query(ctx, in.Session, in.Files, in.Prompt)
	if err != nil {
		return suggestOut{}, err
	}
	q.Limit = in.Limit
	ans, err := api.Call(ctx, r.Client, api.Rank, q)
	out := suggestOut{Files: []suggested{}, At: ans.At, Session: in.Session}
	for _, f := range ans.Suggestions {
		out.Files = append(out.Files, suggested{f.File.Display(), digits(f.Score), words(f.Reasons)})
	}
	return out, err
}

// query is the question that an agent asks, as the command line asks it.
func (r Repo) query(ctx context.Context, session string, names []string, prompt string) (q event.Query, err error) {
	q = event.Query{Task: event.TaskNext, Session: session, Prompt: prompt}
	q.Files, err = r.files(ctx, names, false)
	switch {
	case q.Prompt != "":
		q.Task = event.TaskPrompt
	case len(q.Files) > 0:
		q.Task = event.TaskChange
	}
	return q, err
}

// words are the reasons that have any; where none has, the strongest is named by its signal.
func words(reasons []event.Reason) []string {
	out := []string{}
	for _, r := range reasons {
		if r.Text != "" && (r.Value*r.Weight > 0 || r.Signal == event.SignalTogether) {
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
