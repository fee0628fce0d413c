package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// Options of a server. Open is needed.
type Options struct {
	// Open finds the repository and its daemon. It is asked at every call, so that a repository
	// which is initialised while the server runs is served from then on. Errors are shown to the
	// agent; an *api.Error with its hint.
	Open     func(context.Context) (Repo, error)
	Session  string        // the agent's session, if the environment says; "" asks the daemon
	Version  string        // shown to the client
	Patience time.Duration // of one call, the daemon's start included; 0 is 20 s
}

// Repo is where questions go.
type Repo struct {
	Client *api.Client
	Root   event.Root // absolute file names are taken relative to it
}

// instructions are read by the model at the start of every session, so they are short and state
// facts.
const instructions = "aOa has recorded this repository's commits and past sessions. suggest_files: before the first " +
	"search of a task. missing_partners: before a change is done. llm_cache: sets results aside when 20+ items or " +
	"over 10 KB would fill the context. Paths are relative to the repository."

// server answers tool calls.
type server struct{ o Options }

// New makes a server with all tools, ready to be connected to a transport. Its list of tools has
// the same order every time.
func New(o Options) *mcp.Server {
	o.Patience = cmp.Or(o.Patience, 20*time.Second)
	s := &server{o}
	out := mcp.NewServer(&mcp.Implementation{Name: "aoa", Title: "aOa", Version: o.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	addTool(s, out, suggestTool, s.suggestFiles)
	addTool(s, out, partnersTool, s.missingPartners)
	addTool(s, out, contextTool, s.sessionContext)
	addTool(s, out, optionsTool, s.listReloadOptions)
	addTool(s, out, reloadTool, s.reloadCached)
	addTool(s, out, cacheTool, s.cache)
	return out
}

// Claude Code defers the tools of MCP servers behind a search. loaded is of the two tools that are
// worth their tokens in each session; found is what leads its search to another one. All tools have
// at most 500 tokens: so an answer has no schema, and an input is described only where its name
// does not say enough.
var loaded = mcp.Meta{"anthropic/alwaysLoad": true}

func found(hint string) mcp.Meta { return mcp.Meta{"anthropic/searchHint": hint} }

// addTool enters a tool whose handler gets the repository, the session and a deadline. Its failures
// are results: so are arguments that cannot be read, and the library would answer those with the
// words of a schema.
func addTool[In, Out any](s *server, to *mcp.Server, t *mcp.Tool,
	fn func(context.Context, Repo, string, In) (Out, error)) {
	schema := brief[In]()
	t.InputSchema = schema
	to.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
		defer cancel()
		in, err := decode[In](r.Params.Arguments, schema)
		if err != nil {
			return failed(err), nil
		}
		repo, session, err := s.open(ctx)
		if err != nil {
			return failed(err), nil
		}
		out, err := fn(ctx, repo, session, in)
		if err != nil {
			return failed(err), nil
		}
		text, err := json.Marshal(out)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}},
			StructuredContent: json.RawMessage(text)}, err
	})
}

// open returns the repository and the session: that of the environment, else the newest live one of
// the checkout.
func (s *server) open(ctx context.Context) (Repo, string, error) {
	repo, err := s.o.Open(ctx)
	if err != nil || s.o.Session != "" {
		return repo, s.o.Session, err
	}
	ans, err := api.Call(ctx, repo.Client, api.Session, api.SessionRequest{})
	return repo, ans.ID, err
}

// failed is the result of a call that failed.
func failed(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: advise(err).Error()}}, IsError: true}
}

// brief is the schema of an input without what only costs tokens. Each property is an object with
// one type: some models refuse every request of a session over a schema that has another form.
func brief[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // a type of this package
	}
	schema.AdditionalProperties = nil
	for _, p := range schema.Properties {
		if len(p.Types) > 0 {
			p.Type, p.Types = p.Types[len(p.Types)-1], nil
		}
	}
	return schema
}

// advise adds the next thing to do to an error: the agent sees nothing else of it.
func advise(err error) error {
	var e *api.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e.Hint != "":
		return fmt.Errorf("%w\nhint: %s", err, e.Hint)
	case errors.Is(err, api.ErrNoDaemon):
		return fmt.Errorf("%w\nhint: aoa doctor says why", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the daemon did not answer in time\nhint: aoa status")
	}
	return err
}

// reads describes a tool that changes nothing, in this repository only.
func reads(title string) *mcp.ToolAnnotations {
	closed := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
}

// additive describes a tool that stores something, or runs what the settings allow, and removes
// nothing.
func additive(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: &no, OpenWorldHint: &no}
}

// files resolves names that an agent gave: absolute, or relative to the root. A folder stands for
// its files. An unknown name, and a deleted file unless gone is true, becomes a note; the other
// names are still resolved.
func (r Repo) files(ctx context.Context, names []string, gone bool) (out []event.Path, notes []string, err error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	ans, err := api.Call(ctx, r.Client, api.Names, api.NamesRequest{Names: names, Dir: string(r.Root)})
	for _, n := range ans.Names {
		if !gone {
			n = n.Present()
		}
		switch n.Is {
		case api.NameUnknown:
			e := n.Unknown(event.Path.Display)
			notes = append(notes, strings.TrimSuffix(e.Message+"; "+e.Hint, "; "))
		case api.NameRoot, api.NameOutside:
			notes = append(notes, event.Path(n.Typed).Quoted()+" is not in this repository")
		}
		out = append(out, n.Files...)
	}
	return out, notes, err
}
