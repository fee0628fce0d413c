package hooks

import (
	"fmt"
	"strings"
)

// GitHook is the Call of a git hook: its name and arguments as git gave them. It has no events, and never
// will: git runs hooks in the background out of order, and many programs that commit run none. It means "go and
// look at HEAD". An empty Event means that the hook is of no interest.
func GitHook(args []string, cwd string) Call {
	c := Call{Agent: "git", Cwd: cwd}
	if len(args) == 0 {
		return c
	}
	switch args[0] {
	case "post-checkout":
		// flag 0: files were checked out, HEAD stands where it stood.
		if len(args) >= 4 && args[3] == "0" {
			return c
		}
		c.Event = args[0]
	case "post-commit", "post-merge", "post-rewrite", "post-applypatch", "post-update", "post-index-change", "reference-transaction":
		c.Event = args[0]
	}
	return c
}

// decodeGit reads what the client sends for a git hook: {"args": […], "cwd": "…"}, or the words themselves.
func decodeGit(payload []byte) (Call, error) {
	if len(payload) > 1<<20 {
		return Call{Agent: "git"}, fmt.Errorf("decode git hook payload: %w: %d bytes", ErrPayload, len(payload))
	}
	if in, err := first(payload); err == nil {
		return GitHook(in.texts("args"), in.text("cwd")), nil
	}
	if words := listOf(payload); words != nil {
		var args []string
		for _, raw := range words {
			if s, ok := stringOf(raw); ok {
				args = append(args, s)
			}
		}
		return GitHook(args, ""), nil
	}
	return GitHook(strings.Fields(string(payload)), ""), nil
}
