package transcript

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Usage is a request to a model: numbers and names, no text.
type Usage struct {
	ID      string // the maker's id of the answer; several lines of a transcript share it
	Session string
	Side    bool // made by a subagent
	At      time.Time
	Model   string
	Input   int64 // tokens that were not in the cache, and are not kept there
	Write   int64 // tokens that were not in the cache, and are kept there
	Read    int64 // tokens taken from the cache
	Output  int64 // tokens written
}

// maxUsage bounds the numbers that are believed.
const maxUsage = 1 << 40

// usage is the same in a transcript.
type usage struct {
	Input  int64 `json:"input_tokens"`
	Write  int64 `json:"cache_creation_input_tokens"`
	Read   int64 `json:"cache_read_input_tokens"`
	Output int64 `json:"output_tokens"`
}

// Usages reads the requests of the transcripts in a folder and below, as far as they happened in r's worktrees. from says up to
// which byte a file was read before; each file that has grown is given with how far it is read now, at a line's end, in parts
// of at most 500 requests. What is not understood is skipped. The error is ctx's, from's or yield's.
func Usages(ctx context.Context, dir string, r hooks.Repo, from func(ctx context.Context, file string) (int64, error),
	yield func(file string, done int64, found []Usage) error) error {
	p := places{repo: r, known: map[string]*index.Locator{}}
	for _, name := range files(dir) {
		done, err := from(ctx, name)
		if err == nil {
			err = p.usages(ctx, name, done, yield)
		}
		if err != nil {
			return fmt.Errorf("read the usage in %s: %w", name, err)
		}
	}
	return nil
}

func (p places) usages(ctx context.Context, name string, done int64, yield func(string, int64, []Usage) error) error {
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
		done = 0 // it was replaced
	}
	if _, err := f.Seek(done, io.SeekStart); err != nil {
		return nil
	}
	in := bufio.NewReaderSize(f, 64<<10)
	var found []Usage
	for {
		text, n, _, err := readLine(in)
		if err != nil {
			break // the last line is not whole yet
		}
		done += n
		if u, ok := p.usage(text); ok {
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

// usage reads one line.
func (p places) usage(text []byte) (Usage, bool) {
	var l line
	if !bytes.Contains(text, []byte(`"usage"`)) || !parse(text, &l) {
		return Usage{}, false
	}
	m := l.Message
	if l.Type != "assistant" || m.Usage == nil || m.ID == "" || m.Model == "<synthetic>" {
		return Usage{}, false
	}
	at := p.context(&l, "")
	if at == nil || at.Session == "" {
		return Usage{}, false
	}
	return Usage{ID: event.Clip(m.ID, 128), Session: at.Session, Side: at.Subagent != "", At: at.Time, Model: event.Clip(m.Model, 64),
		Input: count(m.Usage.Input), Write: count(m.Usage.Write), Read: count(m.Usage.Read), Output: count(m.Usage.Output)}, true
}

// count is a number of tokens, 0 for one that cannot be.
func count(n int64) int64 {
	if n < 0 || n > maxUsage {
		return 0
	}
	return n
}
