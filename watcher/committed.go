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
// it was looked for: a file is new if it is known and has no content. It costs one process. Errors are those of git.
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
			data, missing, err := ReadBlob(in, most)
			switch {
			case err != nil:
				return fmt.Errorf("read %q from git: %w", f, err)
			case missing:
				known[f] = true
			case data != nil:
				contents[f], known[f] = data, true
			}
		}
		return nil
	}, "cat-file", "--batch")
	return contents, known, err
}

// ReadBlob reads one answer of `git cat-file --batch`. data is nil for what git does not have (missing), for what is no file, and for a
// content of more than most bytes.
func ReadBlob(in *bufio.Reader, most int64) (data []byte, missing bool, err error) {
	line, err := in.ReadString('\n')
	if err != nil || strings.HasSuffix(line, " missing\n") {
		return nil, err == nil, err
	}
	part := strings.Fields(line) // <id> <type> <size>
	if len(part) != 3 {
		return nil, false, fmt.Errorf("git says %.80q", line)
	}
	size, err := strconv.ParseInt(part[2], 10, 64)
	if err != nil || size < 0 {
		return nil, false, fmt.Errorf("git says %.80q", line)
	}
	if size > most || part[1] != "blob" {
		_, err = io.CopyN(io.Discard, in, size+1)
		return nil, false, err
	}
	data = make([]byte, size+1)
	_, err = io.ReadFull(in, data)
	return data[:size], false, err
}
