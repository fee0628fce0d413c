package reload

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// maxInputs is the number of bytes of all stored inputs. Beyond it the least recently used are
// deleted.
const maxInputs = 8 << 20

// input has what is needed to repeat a call, in addition to what the log has.
type input struct {
	// the files that it is about: forgetting one of them deletes the input
	Paths   []event.Path `json:"paths,omitempty"`
	Command string       `json:"command,omitempty"`
	Edits   []event.Swap `json:"edits,omitempty"`
}

// inputs stores the inputs of calls, each as a sealed blob under the id of its event. They are read
// when a turn has ended. It is safe for concurrent use.
type inputs struct {
	stored *cold.Owner

	mu      sync.Mutex
	waiting map[string]cold.Blob // inputs that have not been written yet, by key
}

func newInputs(blobs *cold.Blobs) *inputs {
	s := &inputs{waiting: map[string]cold.Blob{}}
	s.stored = blobs.Owner("inputs of calls", cold.Rule{Bytes: func() int64 { return maxInputs },
		Leave: func(context.Context) error { s.mu.Lock(); defer s.mu.Unlock(); clear(s.waiting); return nil }})
	return s
}

// Keep stores the inputs of calls before they are logged, because the log has no place for them. A
// text with a secret is left out.
func (c *Cache) Keep(events []event.Event) {
	if c.o.Config().Off {
		return
	}
	for _, e := range events {
		b := e.Call()
		in := input{Paths: b.Paths, Edits: b.Edits}
		if b.Act != event.ActRun || b.Command != b.Text {
			in.Command = b.Command
		}
		if b.Act == event.ActWrite && len(in.Edits) == 1 && c.o.Redact(in.Edits[0].New) != in.Edits[0].New {
			in.Edits = nil
		}
		raw, err := codec.Encode(in)
		if err != nil || e.Session == "" || in.Command == "" && len(in.Edits) == 0 {
			continue
		}
		c.inputs.mu.Lock()
		c.inputs.waiting[e.ID] = cold.Blob{Key: e.ID, Session: e.Session, Used: c.o.Now(), Size: int64(len(raw)), Meta: raw}
		c.inputs.mu.Unlock()
		c.wake.Give()
	}
}

// Edits returns what a call replaced in its file, by the id of the call's event; nil if that is not
// stored.
func (c *Cache) Edits(ctx context.Context, id string) []event.Swap {
	return c.inputs.get(ctx, id).Edits
}

// get returns the input of an event, the zero input if none is stored.
func (s *inputs) get(ctx context.Context, id string) (in input) {
	s.mu.Lock()
	v, waits := s.waiting[id]
	s.mu.Unlock()
	if !waits {
		v, _, _ = s.stored.Get(ctx, id) // an input that cannot be read counts as missing
	}
	_ = codec.Decode(v.Meta, &in)
	return in
}

// write stores the inputs that wait. After an error they go on waiting.
func (s *inputs) write(ctx context.Context) error {
	s.mu.Lock()
	now := slices.Collect(maps.Values(s.waiting))
	s.mu.Unlock()
	if len(now) == 0 {
		return nil
	}
	if _, err := s.stored.Put(ctx, now...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range now {
		delete(s.waiting, v.Key)
	}
	return nil
}
