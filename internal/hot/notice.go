package hot

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Notice tells the other daemons of one server that an agent changed a file.
type Notice struct {
	Writer  string // which daemon tells it
	Session string
	Agent   string
	File    event.Path
	At      time.Time
}

// keepNotices is how many the stream keeps, the newest; an older one interests nobody any more.
const keepNotices = 1024

// Notice tells the others of an edit, in the same step as the batch. The embedded store has no others.
func (b *Batch) Notice(n Notice) {
	b.init()
	if n.File != "" && len(n.File) <= maxName {
		b.told = append(b.told, n)
	}
}

// notices writes the last of them: more than the stream keeps need not be sent.
func (w *writes) notices(b *Batch) {
	s := w.store
	if s.embedded != nil {
		return
	}
	for _, n := range b.told[max(0, len(b.told)-keepNotices):] {
		w.add("XADD", s.keys.edits(), "MAXLEN", keepNotices, "*", "w", s.writer, "s", n.Session, "a", n.Agent, "p", string(n.File),
			"t", strconv.FormatInt(n.At.UnixMilli(), 10))
	}
}

// wake tells the others to look. It may fail: they look now and then in any case.
func (s *Store) wake(ctx context.Context, b *Batch) {
	if s.embedded == nil && len(b.told) > 0 {
		s.client.Publish(ctx, s.keys.wake(), s.writer)
	}
}

// Notices returns what the others told after the entry named after ("" is the oldest that is kept), oldest first, and
// the name of the last entry. It also looks whether the server is still the one that this process knows: ErrEpoch.
func (s *Store) Notices(ctx context.Context, after string) (out []Notice, last string, err error) {
	if s.embedded != nil {
		return nil, after, nil
	}
	start := "-"
	if after != "" {
		start = "(" + after
	}
	pipe := s.client.Pipeline()
	epoch := pipe.Get(ctx, s.keys.server())
	entries := pipe.XRange(ctx, s.keys.edits(), start, "+")
	_, _ = pipe.Exec(ctx) // each answer has its own error
	if epoch.Val() != s.Epoch() {
		if err := epoch.Err(); err != nil && !isNil(err) {
			return nil, after, fmt.Errorf("read notices: %w", err)
		}
		return nil, after, ErrEpoch
	}
	if err := entries.Err(); err != nil && !isNil(err) {
		return nil, after, fmt.Errorf("read notices: %w", err)
	}
	last = after
	for _, e := range entries.Val() {
		last = e.ID
		n := Notice{Writer: word(e.Values, "w"), Session: word(e.Values, "s"), Agent: word(e.Values, "a")}
		p, err := event.NewPath(word(e.Values, "p"))
		ms, err2 := strconv.ParseInt(word(e.Values, "t"), 10, 64)
		if err != nil || err2 != nil || n.Writer == s.writer {
			continue // told by this daemon, or by a stranger
		}
		n.File, n.At = p, time.UnixMilli(ms).UTC()
		out = append(out, n)
	}
	return out, last, nil
}

func word(values map[string]any, field string) string {
	v, _ := values[field].(string)
	return v
}

// Wakes calls fn whenever another daemon says that there is something to read, until ctx ends or the server is lost.
func (s *Store) Wakes(ctx context.Context, fn func()) error {
	if s.embedded != nil {
		<-ctx.Done()
		return nil
	}
	sub := s.client.Subscribe(ctx, s.keys.wake())
	defer sub.Close()
	// The library waits on its connection, whatever becomes of ctx.
	defer context.AfterFunc(ctx, func() { sub.Close() })()
	for {
		m, err := sub.ReceiveMessage(ctx)
		if err != nil {
			return fmt.Errorf("wait for notices: %w", err)
		}
		if m.Payload != s.writer {
			fn()
		}
	}
}
