package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

var partnersTool = &mcp.Tool{Name: "missing_partners", Meta: loaded, Annotations: reads("Missing partners of a change"),
	Description: "Files that usually change in the same commit as the given files and are not among them, with commit " +
		"counts, and places that still use what the change removes. Without files: the worktree's own change (staged, " +
		"unstaged and new files). Empty lists say that nothing is known to be missing."}

type partnersIn struct {
	Files []string `json:"files,omitempty" jsonschema:"the files of the change; default: what is changed, staged or new in the worktree"`
	Limit int      `json:"limit,omitempty" jsonschema:"how many files, 1 to 100; default 5"`
}

type partnersOut struct {
	Change  []string  `json:"change" jsonschema:"the files that were looked at"`
	Missing []partner `json:"missing" jsonschema:"most likely first, ties by path"`
	Broken  []string  `json:"broken" jsonschema:"FILE:LINE: the line's text, of files outside of the change that use what it removes"`
}

type partner struct {
	File        string  `json:"file"`
	With        string  `json:"with" jsonschema:"the file of the change that it changed with most regularly"`
	Both        int     `json:"both" jsonschema:"commits that changed both"`
	Of          int     `json:"of" jsonschema:"commits that changed with"`
	Probability float64 `json:"probability" jsonschema:"that it belongs to the change"`
}

// maxChange is how many files of the change are listed in the answer: a mass edit must not fill the agent's context.
const maxChange = 50

func (s *server) missingPartners(ctx context.Context, r Repo, in partnersIn) (partnersOut, error) {
	files, err := r.files(ctx, in.Files, true)
	if err != nil {
		return partnersOut{}, err
	}
	ans, err := api.Call(ctx, r.Client, api.Partners, api.PartnersRequest{Files: files, Limit: in.Limit})
	out := partnersOut{Change: shown(ans.Files), Missing: []partner{}, Broken: []string{}}
	for _, p := range ans.Partners {
		out.Missing = append(out.Missing, partner{p.File.Display(), p.With.Display(), p.Both, p.Of, digits(p.Score)})
	}
	for _, b := range ans.Broken[:min(len(ans.Broken), maxChange)] {
		out.Broken = append(out.Broken, fmt.Sprintf("%s:%d: %s", b.File.Display(), b.Line, event.Path(b.Text).Display()))
	}
	return out, err
}

func shown(files []event.Path) []string {
	out := []string{}
	for _, f := range files[:min(len(files), maxChange)] {
		out = append(out, f.Display())
	}
	return out
}
