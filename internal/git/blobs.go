package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// ErrNoBlob is returned when the repository does not have the object, or a partial clone has not
// fetched it.
var ErrNoBlob = errors.New("git does not have this content")

// Blobs reads contents of objects through one git process. It is not safe for concurrent use.
type Blobs struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Blobs starts the git process. It runs until Close is called or ctx ends. The error is ErrMissing
// or one of the system.
func (p *Program) Blobs(ctx context.Context, dir string) (*Blobs, error) {
	cmd, err := p.command(ctx, dir, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	b := &Blobs{cmd: cmd}
	if b.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b.out = bufio.NewReaderSize(watched{out, p.patience("cat-file"), b.Kill}, 1<<16)
	if err := start(cmd); err != nil {
		return nil, fmt.Errorf("read contents of %s: %w", dir, err)
	}
	return b, nil
}

// Read returns the content of an object by its name in git (an ID, or HEAD:path). It returns nil
// for an object larger than most bytes, and for one that is not a file. After ErrNoBlob further
// objects can be read; any other error ends the process.
func (b *Blobs) Read(name string, most int64) ([]byte, error) {
	if strings.ContainsAny(name, "\n\r") {
		return nil, nil // git reads one name per line
	}
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return nil, fmt.Errorf("ask git for a content: %w", err)
	}
	data, err := readBlob(b.out, most)
	if err != nil && !errors.Is(err, ErrNoBlob) {
		err = fmt.Errorf("read a content from git: %w", err)
	}
	return data, err
}

// Kill ends the process at once: a concurrent Read fails. Close must still be called.
func (b *Blobs) Kill() { _ = b.cmd.Process.Kill() }

// Close ends the process.
func (b *Blobs) Close() {
	_ = b.in.Close()
	_ = b.cmd.Wait()
}

// readBlob reads one answer of `git cat-file --batch`.
func readBlob(in *bufio.Reader, most int64) ([]byte, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(line, " missing\n") {
		return nil, ErrNoBlob
	}
	part := strings.Fields(line) // <id> <type> <size>
	if len(part) != 3 {
		return nil, fmt.Errorf("git says %.80q", line)
	}
	size, err := strconv.ParseInt(part[2], 10, 64)
	if err != nil || size < 0 {
		return nil, fmt.Errorf("git says %.80q", line)
	}
	if size > most || part[1] != "blob" {
		_, err = io.CopyN(io.Discard, in, size+1)
		return nil, err
	}
	data := make([]byte, size+1)
	_, err = io.ReadFull(in, data)
	return data[:size], err
}
