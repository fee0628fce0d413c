package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
)

var optionsTool = &mcp.Tool{Name: "list_reload_options",
	Meta:        found("recorded sequences of tool calls for a similar earlier prompt"),
	Annotations: reads("List recorded sequences"),
	Description: "Sequences of tool calls that a similar prompt led to before in this repository, best match first: " +
		"those that fit the session's current prompt, or the given one. An empty list says that nothing similar is recorded."}

type optionsIn struct {
	Prompt string `json:"prompt,omitempty" jsonschema:"what is asked; default: what the session was asked last"`
	about
	Limit int `json:"limit,omitempty" jsonschema:"how many, 1 to 20; default 5"`
}

type optionsOut struct {
	Options []option `json:"options" jsonschema:"best match first"`
}

type option struct {
	ID         string   `json:"cacheId"`
	Summary    string   `json:"summary"`
	Similarity float64  `json:"similarity"`
	Reason     string   `json:"matchReason"`
	Uses       int      `json:"uses"`
	Actions    []string `json:"actions" jsonschema:"tools, each once, in order"`
	Looks      bool     `json:"read_only" jsonschema:"whether every action only looks"`
}

// maxOptions bounds what is listed: a list must not fill the agent's context.
const maxOptions = 20

func (s *server) listReloadOptions(ctx context.Context, r Repo, in optionsIn) (optionsOut, error) {
	if in.Limit <= 0 || in.Limit > maxOptions {
		in.Limit = 5
	}
	out := optionsOut{Options: []option{}}
	if in.Session == "" && in.Prompt == "" {
		return out, api.Bad("name the prompt", "no session is live, so nothing is known to be asked")
	}
	ans, err := api.Call(ctx, r.Client, api.ReloadList, api.SequencesRequest{Prompt: in.Prompt, Session: in.Session,
		Limit: in.Limit})
	for _, q := range ans.Sequences {
		out.Options = append(out.Options, option{q.ID, q.Summary, digits(q.Similarity), q.Reason, q.Uses, q.Tools, q.Looks})
	}
	return out, err
}

var reloadTool = &mcp.Tool{Name: "reload_cached",
	Meta:        found("repeat a recorded sequence of reads and searches in one call, by cacheId"),
	Annotations: additive("Replay a recorded sequence"),
	Description: "Does a recorded sequence again in one call: its reads, searches and listings are done now; the " +
		"answer says what they find and which files changed since. Commands run only if the user's settings allow them; " +
		"edits are left out. It stops at the first action that does not do what it did."}

type reloadIn struct {
	ID   string `json:"cacheId" jsonschema:"as list_reload_options or a reload_options block names it"`
	Skip []int  `json:"skipIndices,omitempty" jsonschema:"actions to leave out, from 0"`
	about
}

type reloadOut struct {
	ID       string     `json:"cacheId"`
	Summary  string     `json:"summary"`
	Actions  []replayed `json:"actions"`
	Diverged string     `json:"diverged,omitempty" jsonschema:"where and why it stopped; absent if it did not"`
}

type replayed struct {
	Index  int    `json:"index"`
	Tool   string `json:"tool"`
	Input  string `json:"input"`
	State  string `json:"state" jsonschema:"done, changed (its files are others than they were), skipped, refused or diverged"`
	Note   string `json:"note,omitempty"`
	Output string `json:"output,omitempty"`
}

func (s *server) reloadCached(ctx context.Context, r Repo, in reloadIn) (reloadOut, error) {
	ans, err := api.Call(ctx, r.Client, api.ReloadRun, api.ReplayRequest{ID: in.ID, Skip: in.Skip, Session: in.Session})
	out := reloadOut{ID: ans.ID, Summary: ans.Summary, Actions: []replayed{}, Diverged: ans.Diverged}
	for _, a := range ans.Steps {
		out.Actions = append(out.Actions, replayed{a.Index, a.Tool, a.What, a.State, a.Note, a.Output})
	}
	return out, err
}
