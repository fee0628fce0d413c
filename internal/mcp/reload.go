package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
)

var optionsTool = &mcp.Tool{Name: "list_reload_options",
	Meta:        found("recorded sequences of tool calls for a similar earlier prompt"),
	Annotations: reads("List recorded sequences"),
	Description: "Recorded sequences of calls that a prompt like this led to."}

type optionsIn struct {
	Prompt string `json:"prompt,omitempty"`
}

type optionsOut struct {
	Options []option `json:"options"`
}

type option struct {
	ID      string   `json:"cacheId"`
	Summary string   `json:"summary"`
	Reason  string   `json:"matchReason"`
	Actions []string `json:"actions"`
	Recipe  string   `json:"recipe,omitempty"` // the edits and commands of the session
	Applies bool     `json:"edits_apply,omitempty"`
}

func (s *server) listReloadOptions(ctx context.Context, r Repo, session string, in optionsIn) (optionsOut, error) {
	out := optionsOut{Options: []option{}}
	if session == "" && in.Prompt == "" {
		return out, event.BadRequest("name the prompt", "no session is live, so no prompt is known")
	}
	ans, err := api.Call(ctx, r.Client, api.ReloadList, api.SequencesRequest{Prompt: in.Prompt, Session: session,
		Limit: maxFiles})
	for _, q := range ans.Sequences {
		out.Options = append(out.Options, option{q.ID, q.Summary, q.Reason, q.Tools(), q.Recipe, q.Applies})
	}
	return out, err
}

var reloadTool = &mcp.Tool{Name: "reload_cached",
	Meta:        found("repeat a recorded sequence of reads and searches in one call, by cacheId"),
	Annotations: additive("Replay a recorded sequence"),
	Description: "Repeats reads and searches of a recorded sequence, up to the first that fails."}

type reloadIn struct {
	ID   string `json:"cacheId"`
	Skip []int  `json:"skipIndices,omitempty"`
}

type reloadOut struct {
	Actions  []replayed `json:"actions"`
	Diverged string     `json:"diverged,omitempty"`
}

type replayed struct {
	Action string `json:"action"` // position from 0, tool, input, and the result
	Output string `json:"output,omitempty"`
}

func (s *server) reloadCached(ctx context.Context, r Repo, session string, in reloadIn) (reloadOut, error) {
	ans, err := api.Call(ctx, r.Client, api.ReloadRun, api.ReplayRequest{Request: reload.Request{ID: in.ID, Skip: in.Skip},
		Session: session})
	out := reloadOut{Actions: []replayed{}, Diverged: ans.Diverged}
	for _, a := range ans.Steps {
		what := fmt.Sprintf("%d %s %s: %s", a.Index, a.Tool, a.What, a.State)
		if a.Note != "" {
			what += ", " + a.Note
		}
		out.Actions = append(out.Actions, replayed{what, a.Output})
	}
	return out, err
}
