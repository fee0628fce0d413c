package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

var suggestTool = &mcp.Tool{Name: "suggest_files", Meta: loaded, Annotations: reads("Suggest files"),
	Description: "Before the first search of a task: up to five files with matching symbols and lines. Beats grep " +
		"when the words of the task are not in the code."}

type suggestIn struct {
	Prompt string   `json:"prompt,omitempty" jsonschema:"the task"`
	Files  []string `json:"files,omitempty"`
}

type suggestOut struct {
	Files []string `json:"files"`
	Notes []string `json:"notes,omitempty"`
}

// suggestFiles answers with one line for each file, most likely first: its path, and either the
// line and the symbol that match the task or the reason why the file is suggested.
func (s *server) suggestFiles(ctx context.Context, r Repo, session string, in suggestIn) (suggestOut, error) {
	out := suggestOut{Files: []string{}}
	if in.Prompt == "" && len(in.Files) == 0 {
		return out, event.BadRequest("give prompt, the task in words, or files", "no prompt and no files")
	}
	q := event.Query{Session: session, Prompt: in.Prompt, Limit: maxFiles, Worth: true}
	var err error
	if q.Files, out.Notes, err = r.files(ctx, in.Files, false); err != nil {
		return out, err
	}
	switch {
	case q.Prompt != "":
		q.Task = event.TaskPrompt
	case len(q.Files) > 0:
		q.Task = event.TaskChange
	default:
		return out, nil
	}
	ans, err := api.Call(ctx, r.Client, api.Rank, q)
	for _, f := range ans.Suggestions {
		out.Files = append(out.Files, line(f))
	}
	if usual := ans.Usual[:min(len(ans.Usual), maxFiles)]; len(usual) > 0 {
		note := "often changed with everything:"
		for _, f := range usual {
			note += " " + f.File.Quoted()
		}
		out.Notes = append(out.Notes, note)
	}
	return out, err
}

// maxFiles is the largest number of files in an answer.
const maxFiles = 5

// line formats a suggestion on one line. Names and reasons come from the repository and cannot
// break the line.
func line(f event.Suggestion) string {
	text := f.After(f.File.Quoted())
	if why := f.Reason().Text; why != "" {
		text += ": " + why
	}
	return text
}
