package mcp

import (
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

// Options are the settings of a server. Open is required.
type Options struct {
	// Open finds the repository and its daemon. It is called for every tool call, so a repository
	// that is initialised while the server runs can be used at once. Errors are shown to the agent,
	// an *event.Refusal with its hint.
	Open    func(context.Context) (Repo, error)
	Session string // the agent's session if the environment names it; if "", the daemon is asked
	Version string // shown to the client
}

// patience is the longest time of one call, including the start of the daemon.
const patience = 20 * time.Second

// Repo is a repository that questions are about.
type Repo struct {
	Client *api.Client
	Root   event.Root // absolute file names are made relative to it
}

// instructions are read by the model at the start of every session, so they are short and only
// state facts.
const instructions = "aOa has recorded this repository's commits and past sessions. suggest_files: before the first " +
	"search of a task. missing_partners: before a change is done. llm_cache: sets results aside when 20+ items or " +
	"over 10 KB would fill the context. Paths are relative to the repository."

// server handles the tool calls.
type server struct{ o Options }

// New returns a server with all tools, which can then be connected to a transport. It always lists
// its tools in the same order.
func New(o Options) *mcp.Server {
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

// Claude Code loads the tools of MCP servers only after a search. loaded marks the two tools that
// are worth their tokens in every session; found holds words by which the search finds another
// tool. All tools together have at most 500 tokens; therefore answers have no schema, and arguments
// are described only if their names are not clear enough.
var loaded = mcp.Meta{"anthropic/alwaysLoad": true}

func found(hint string) mcp.Meta { return mcp.Meta{"anthropic/searchHint": hint} }

// addTool adds a tool. Its handler gets the repository, the session and a deadline. Errors become
// results, also those about invalid arguments, for which the library would print details of the
// schema.
func addTool[In, Out any](s *server, to *mcp.Server, t *mcp.Tool,
	fn func(context.Context, Repo, string, In) (Out, error)) {
	schema := brief[In]()
	t.InputSchema = schema
	to.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
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

// open returns the repository and the session: the one in the environment, otherwise the newest
// live session of the checkout.
func (s *server) open(ctx context.Context) (Repo, string, error) {
	repo, err := s.o.Open(ctx)
	if err != nil || s.o.Session != "" {
		return repo, s.o.Session, err
	}
	ans, err := api.Call(ctx, repo.Client, api.Session, api.SessionRequest{})
	return repo, ans.ID, err
}

// failed returns the result for an error.
func failed(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: advise(err).Error()}}, IsError: true}
}

// brief returns the schema of an input without the parts that only use tokens. Each property is an
// object with one type: some models refuse all requests of a session if a schema has any other
// form.
func brief[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // only a wrong type in this package can cause this
	}
	schema.AdditionalProperties = nil
	for _, p := range schema.Properties {
		if len(p.Types) > 0 {
			p.Type, p.Types = p.Types[len(p.Types)-1], nil
		}
	}
	return schema
}

// advise adds to an error what to do next. The agent sees nothing else of the error.
func advise(err error) error {
	e, ok := errors.AsType[*event.Refusal](err)
	switch {
	case ok && e.Hint != "":
		return fmt.Errorf("%w\nhint: %s", err, e.Hint)
	case errors.Is(err, api.ErrNoDaemon):
		return fmt.Errorf("%w\nhint: aoa doctor says why", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the daemon did not answer in time\nhint: aoa status")
	}
	return err
}

// reads returns the annotations of a tool that changes nothing and looks only at this repository.
func reads(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}
}

// additive returns the annotations of a tool that stores something, or runs what the settings
// allow, but removes nothing.
func additive(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// files resolves names that an agent gave, absolute or relative to the root. A folder is replaced
// by its files. An unknown name, and a deleted file unless gone is true, is reported in a note; the
// other names are still resolved.
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
