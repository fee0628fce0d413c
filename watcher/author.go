package watcher

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Authors returns who wrote the newest commits of all refs, by their ids. Names are as .mailmap has them. It costs one
// `git log` without files. Errors are those of git.
func (r *Repo) Authors(ctx context.Context, most int) (map[string]string, error) {
	out := map[string]string{}
	err := r.git.Stream(ctx, string(r.Root), "", func(rd io.Reader) error {
		lines := bufio.NewScanner(rd)
		for lines.Scan() {
			id, name, _ := strings.Cut(lines.Text(), " ")
			out[id] = strings.ToValidUTF8(name, "")
		}
		return lines.Err()
	}, "log", "--all", "--no-merges", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%H %aN", "-n",
		strconv.Itoa(most))
	if err != nil {
		return nil, fmt.Errorf("read authors of %s: %w", r.Root, err)
	}
	return out, nil
}
