package watcher

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Committed returns what files hold in HEAD, those of at most most bytes. A file that HEAD does not have is left out, and known says that
// it was looked for: a file is new if it is known and has no content. It costs one process. Errors: ErrNoGit, an error of git.
func (r *Repo) Committed(ctx context.Context, files []event.Path, most int64) (contents map[event.Path][]byte, known map[event.Path]bool, err error) {
	var asked []event.Path
	var input strings.Builder
	for _, f := range files {
		if !strings.ContainsAny(string(f), "\n\r") {
			asked = append(asked, f)
			input.WriteString("HEAD:" + string(f) + "\n")
		}
	}
	contents, known = map[event.Path][]byte{}, map[event.Path]bool{}
	if len(asked) == 0 {
		return contents, known, nil
	}
	err = streamGit(ctx, r.git, string(r.Root), input.String(), func(rd io.Reader) error {
		in := bufio.NewReader(rd)
		for _, f := range asked {
			line, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("read what git says of %q: %w", f, err)
			}
			if strings.HasSuffix(line, " missing\n") {
				known[f] = true
				continue
			}
			part := strings.Fields(line) // <id> <type> <size>
			if len(part) != 3 {
				return fmt.Errorf("read what git says of %q: %.80q", f, line)
			}
			size, err := strconv.ParseInt(part[2], 10, 64)
			switch {
			case err != nil || size < 0:
				return fmt.Errorf("read what git says of %q: %.80q", f, line)
			case size > most || part[1] != "blob":
				_, err = io.CopyN(io.Discard, in, size+1)
			default:
				data := make([]byte, size+1)
				if _, err = io.ReadFull(in, data); err == nil {
					contents[f], known[f] = data[:size], true
				}
			}
			if err != nil {
				return fmt.Errorf("read %q from git: %w", f, err)
			}
		}
		return nil
	}, "cat-file", "--batch")
	return contents, known, err
}
