package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/mcp"
)

func (a *app) mcp() *cobra.Command {
	return newCommand("mcp", "serve MCP tools on stdin and stdout", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			a.dir = a.project()
			o := mcp.Options{Open: a.openForTools, Session: a.getenv("CLAUDE_CODE_SESSION_ID"), Version: version()}
			err := mcp.Serve(ctx, o, a.in, a.out)
			if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
				return nil // the client closed the connection
			}
			return err
		})
}

// project returns the folder that an agent's environment names, else the current one.
func (a *app) project() string {
	for _, name := range []string{"AOA_ROOT", "CLAUDE_PROJECT_DIR"} {
		if dir := a.getenv(name); dir != "" {
			return a.abs(dir)
		}
	}
	return a.dir
}

// openForTools opens the repository and its daemon; it is called for each tool call. Hints are
// added to errors, because callers see only those.
func (a *app) openForTools(ctx context.Context) (mcp.Repo, error) {
	repo, place, err := a.known(ctx)
	if f, ok := errors.AsType[*failure](err); ok {
		return mcp.Repo{}, &event.Refusal{Code: event.CodeMissing, Message: f.Error(), Hint: f.hint}
	}
	if err != nil {
		return mcp.Repo{}, err
	}
	return mcp.Repo{Client: a.dial(repo, place), Root: repo.Root}, nil
}
