package watcher

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/git"
)

// Authors returns who wrote the newest commits of all refs, by their ids. Names are as .mailmap has them. It costs one
// `git log` without files. Errors are those of git.
func (r *Repo) Authors(ctx context.Context, most int) (map[string]string, error) {
	raw, err := r.run(ctx, "log", "--all", "--no-merges", "--no-color", "--no-notes", "--encoding=UTF-8",
		"--format=%H "+git.AuthorName, "-n", strconv.Itoa(most))
	if err != nil {
		return nil, fmt.Errorf("read authors of %s: %w", r.Root, err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		out[id] = strings.ToValidUTF8(name, "")
	}
	return out, nil
}
