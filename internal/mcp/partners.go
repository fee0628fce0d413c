package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
)

var partnersTool = &mcp.Tool{Name: "missing_partners", Meta: loaded, Annotations: reads("Missing partners of a change"),
	Description: "Before a change is done: files that usually change with it but are missing, and lines that use what it " +
		"removes. grep finds only the lines."}

type partnersIn struct {
	Files []string `json:"files,omitempty" jsonschema:"default: the worktree's change"`
}

type partnersOut struct {
	Missing []string `json:"missing"`
	Broken  []string `json:"broken"`
	Notes   []string `json:"notes,omitempty"`
}

// maxBroken limits the listed lines that use removed names, so that a large change does not fill
// the agent's context.
const maxBroken = 50

// missingPartners answers with one line for each file that is probably missing in the change, most
// likely first, with the number of commits that suggest it, and one line for each line of code that
// the change breaks.
func (s *server) missingPartners(ctx context.Context, r Repo, _ string, in partnersIn) (partnersOut, error) {
	out := partnersOut{Missing: []string{}, Broken: []string{}}
	files, notes, err := r.files(ctx, in.Files, true)
	if out.Notes = notes; err != nil || len(in.Files) > 0 && len(files) == 0 {
		return out, err
	}
	ans, err := api.Call(ctx, r.Client, api.Check, change.Request{Files: files})
	if ans.Silent != "" && err == nil {
		out.Notes = append(out.Notes, "not checked: "+ans.Silent)
	}
	for _, p := range ans.Missing {
		line := fmt.Sprintf("%s: in %d of %d commits of %s", p.After(p.File.Quoted()), p.Both, p.Of, p.With.Quoted())
		if len(p.Precedents) > 0 {
			line += "; like this change: " + strings.Join(p.Precedents, ", ")
		}
		out.Missing = append(out.Missing, line)
	}
	if ans.MoreMissing > 0 {
		out.Missing = append(out.Missing, fmt.Sprintf("and %d more", ans.MoreMissing))
	}
	listed := ans.Broken[:min(len(ans.Broken), maxBroken)]
	for _, b := range listed {
		out.Broken = append(out.Broken, fmt.Sprintf("%s:%d: %s", b.File.Display(), b.Line, event.Path(b.Text).Display()))
	}
	out.Broken = slices.Compact(out.Broken) // a line that uses several of the names is listed once
	if more := len(ans.Broken) - len(listed) + ans.MoreBroken; more > 0 {
		out.Broken = append(out.Broken, fmt.Sprintf("and %d more", more))
	}
	return out, err
}
