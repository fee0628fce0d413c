package hooks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// Usage is a request to a model as a transcript tells it: numbers and names, no text.
type Usage struct {
	ID      string // the maker's id of the answer; several lines of a transcript share it
	Session string
	Side    bool // made by a subagent
	At      time.Time
	Model   string
	Input   int64 // tokens read anew, and not kept
	Write   int64 // tokens read anew, and kept in the cache
	Read    int64 // tokens taken from the cache
	Output  int64 // tokens written
}

// maxUsage bounds the numbers that are believed.
const maxUsage = 1 << 40

// Usages reads the requests that the transcripts in a folder and below tell of, as far as they happened in r's
// worktrees. from says up to which byte a file was read before; each file that has grown is handed over with how far
// it is read now, at a line's end, in parts of at most 500 requests. What is not understood is skipped. The error is
// ctx's, from's or yield's.
func Usages(ctx context.Context, dir string, r Repo, from func(ctx context.Context, file string) (int64, error),
	yield func(file string, done int64, found []Usage) error) error {
	t := &transcripts{repo: r, places: map[string]*place{}}
	for _, name := range transcriptFiles(dir) {
		done, err := from(ctx, name)
		if err == nil {
			err = t.usages(ctx, name, done, yield)
		}
		if err != nil {
			return fmt.Errorf("read the usage in %s: %w", name, err)
		}
	}
	return nil
}

func (t *transcripts) usages(ctx context.Context, name string, done int64, yield func(string, int64, []Usage) error) error {
	f, err := os.Open(name)
	if err != nil {
		return nil // gone meanwhile, or not ours to read
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() == done {
		return nil
	}
	if st.Size() < done {
		done = 0 // it was written anew
	}
	if _, err := f.Seek(done, io.SeekStart); err != nil {
		return nil
	}
	in := bufio.NewReaderSize(f, 64<<10)
	var found []Usage
	for {
		line, n, err := countLine(in)
		if err != nil {
			break // the last line is not whole yet
		}
		done += n
		if u, ok := t.usage(line); ok {
			found = append(found, u)
		}
		if len(found) >= maxYield {
			if err := yield(name, done, found); err != nil {
				return err
			}
			found = nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return yield(name, done, found)
}

// countLine reads one whole line and says how long it is. Of one that is longer than maxLine nothing is kept.
func countLine(in *bufio.Reader) (line []byte, n int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if n <= maxLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, n, err
		}
	}
}

// usage reads one line.
func (t *transcripts) usage(line []byte) (Usage, bool) {
	if !bytes.Contains(line, []byte(`"usage"`)) {
		return Usage{}, false
	}
	o := parse(line)
	message := o.object("message")
	counts := message.object("usage")
	if o.text("type") != "assistant" || counts == nil || message.text("id") == "" || message.text("model") == "<synthetic>" {
		return Usage{}, false
	}
	s := t.scene(o, "")
	if s == nil || s.session == "" {
		return Usage{}, false
	}
	u := Usage{ID: clip(message.text("id"), 128), Session: s.session, Side: s.subagent != "", At: s.at, Model: clip(message.text("model"), 64),
		Input: counts.whole("input_tokens"), Write: counts.whole("cache_creation_input_tokens"), Read: counts.whole("cache_read_input_tokens"),
		Output: counts.whole("output_tokens")}
	return u, true
}

// whole is a count, 0 for what is none.
func (o object) whole(key string) int64 {
	n, err := strconv.ParseInt(string(o[key]), 10, 64)
	if err != nil || n < 0 || n > maxUsage {
		return 0
	}
	return n
}
