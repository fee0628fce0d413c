package eval

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// blobs reads contents from one git process.
type blobs struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// openBlobs starts the process. It ends with close, or with ctx.
func openBlobs(ctx context.Context, dir string, env []string) (*blobs, error) {
	cmd, err := config.FindGit(env).Command(ctx, dir, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	b := &blobs{cmd: cmd}
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b.out = bufio.NewReaderSize(out, 1<<16)
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("read contents of %s: %w", dir, err)
	}
	return b, nil
}

// read returns a content, nil if it is too large, binary, or not there (a partial clone).
func (b *blobs) read(oid string) ([]byte, error) {
	if _, err := io.WriteString(b.in, oid+"\n"); err != nil {
		return nil, fmt.Errorf("ask git for a content: %w", err)
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("read a content from git: %w", err)
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		return nil, nil // "<oid> missing"
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size < 0 {
		return nil, fmt.Errorf("read a content from git: %.80q", line)
	}
	if size > index.MaxDocument {
		_, err = b.out.Discard(size + 1)
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, fmt.Errorf("read a content from git: %w", err)
	}
	if data = data[:size]; slices.Contains(data[:min(size, 8000)], 0) {
		return nil, nil
	}
	return data, nil
}

func (b *blobs) close() {
	_ = b.in.Close()
	_ = b.cmd.Wait()
}

// contents notes what the files of a commit hold from now on. It is read when the next question is asked: most versions
// of a history are old by then.
func (w *world) contents(e event.Event) {
	if w.reader == nil || e.Kind != event.KindCommit {
		return
	}
	w.said.Remove(e.Gone...)
	for _, p := range e.Gone {
		delete(w.unread, p)
	}
	sha := strings.TrimPrefix(e.ID, "commit:")
	for _, b := range w.blobs[sha[:min(shaLength, len(sha))]] {
		w.unread[b.path] = b.oid
	}
}

// read takes in the contents that were noted, in the order of their names: equal input gives equal digits.
func (w *world) read() error {
	for _, p := range slices.Sorted(maps.Keys(w.unread)) {
		data, err := w.reader.read(w.unread[p])
		if err != nil {
			return err
		}
		if w.said.Remove(p); data != nil {
			w.said.Set(p, data)
		}
	}
	clear(w.unread)
	return nil
}
