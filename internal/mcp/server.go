package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// Options of a server. Open is needed.
type Options struct {
	// Open finds the repository and its daemon. It is asked at every call, so that a repository which is
	// initialised while the server runs is served from then on. Errors are shown to the agent; an *api.Error
	// with its hint.
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

// instructions are read by the model at the start of every session, so they are short and state facts.
const instructions = "aOa has recorded this repository's history: commits, and what past sessions opened for which " +
	"prompts. suggest_files ranks files for a task or for files; why_file: the arithmetic. missing_partners: what " +
	"usually changes with this change and is untouched. session_context: what was said and done. reload_cached: " +
	"recorded read-only calls (list_reload_options) again at once. llm_cache: for 20+ items or over 10 KB of results, " +
	"write parts with descriptions, keep the labels, read back what is needed. Paths are relative to the repository."

// server answers tool calls.
type server struct{ o Options }

// New makes a server with all tools, ready to be connected to a transport. Its list of tools has the same order
// every time.
func New(o Options) *mcp.Server {
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	s := &server{o}
	out := mcp.NewServer(&mcp.Implementation{Name: "aoa", Title: "aOa", Version: o.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	addTool(s, out, suggestTool, s.suggestFiles)
	addTool(s, out, whyTool, s.whyFile)
	addTool(s, out, partnersTool, s.missingPartners)
	addTool(s, out, contextTool, s.sessionContext)
	addTool(s, out, feedbackTool, s.feedback)
	addTool(s, out, optionsTool, s.listReloadOptions)
	addTool(s, out, reloadTool, s.reloadCached)
	addTool(s, out, cacheTool, s.cache)
	return out
}

// Claude Code defers the tools of MCP servers behind a search. loaded is of the two tools that are worth their some 350
// tokens in each session; found is what leads its search to another one.
var loaded = mcp.Meta{"anthropic/alwaysLoad": true}

func found(hint string) mcp.Meta { return mcp.Meta{"anthropic/searchHint": hint} }

// about is the session that a call is about. addTool fills it in.
type about struct {
	Session string `json:"session_id,omitempty" jsonschema:"the agent session; default: the current one"`
}

func (a *about) session() *string { return &a.Session }

// addTool enters a tool whose handler gets the repository and a deadline. Its failures are results.
func addTool[In, Out any](s *server, to *mcp.Server, t *mcp.Tool, fn func(context.Context, Repo, In) (Out, error)) {
	mcp.AddTool(to, t, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		var out Out
		ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
		defer cancel()
		repo, err := s.o.Open(ctx)
		if of, ok := any(&in).(interface{ session() *string }); ok && err == nil {
			*of.session(), err = s.session(ctx, repo, *of.session())
		}
		if err == nil {
			out, err = fn(ctx, repo, in)
		}
		return nil, out, advise(err)
	})
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

// files finds what an agent named: absolute, or relative to the root. A folder stands for its files. An unknown name is
// an error, and so is one of a file that is gone, unless it may be.
func (r Repo) files(ctx context.Context, names []string, gone bool) (out []event.Path, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	var req api.NamesRequest
	for _, n := range names {
		p, ok := r.Root.Path(n)
		if !ok {
			return nil, api.Bad("name files relative to "+string(r.Root), "%q is not in this repository", n)
		}
		req.Names = append(req.Names, api.TypedName{Typed: n, Path: p})
	}
	ans, err := api.Call(ctx, r.Client, api.Names, req)
	for _, n := range ans.Names {
		if !gone {
			n = n.Present()
		}
		if n.Is == api.NameUnknown {
			return nil, n.Unknown(event.Path.Display)
		}
		if len(n.Files) == 0 {
			return nil, api.Bad("name a file", "no file of the folder %q can be suggested", n.Typed)
		}
		out = append(out, n.Files...)
	}
	return out, err
}

// file is files for one that is no folder.
func (r Repo) file(ctx context.Context, name string) (event.Path, error) {
	files, err := r.files(ctx, []string{name}, false)
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", api.Bad("name a file", "%q is a folder", name)
	}
	return files[0], nil
}

// session is the one that was named, by the beginning of its id at least, else the environment's, else the newest live
// one of the checkout, else none.
func (s *server) session(ctx context.Context, r Repo, named string) (string, error) {
	if named != "" && named != s.o.Session {
		return api.FindSession(ctx, r.Client, named)
	}
	if s.o.Session != "" {
		return s.o.Session, nil
	}
	ans, err := api.Call(ctx, r.Client, api.Session, api.SessionRequest{})
	return ans.ID, err
}
