package redis

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// keepNotices is how many the stream keeps, the newest; an older one interests nobody any more.
const keepNotices = 1024

// notices writes the last of them: more than the stream keeps need not be sent.
func (w *writes) notices(ns []hot.Notice) {
	s := w.store
	for _, n := range ns[max(0, len(ns)-keepNotices):] {
		w.add("XADD", s.keys.edits(), "MAXLEN", keepNotices, "*", "w", s.writer, "s", n.Session, "a", n.Agent, "p", string(n.File),
			"t", strconv.FormatInt(n.At.UnixMilli(), 10))
	}
}

// Notices returns the notices of other daemons after the entry named after ("" is before the oldest that is kept),
// oldest first, and the name of the last entry. It also looks whether the server is still the one that this process knows: ErrEpoch.
func (s *Store) Notices(ctx context.Context, after string) (out []hot.Notice, last string, err error) {
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
		n := hot.Notice{Writer: word(e.Values, "w"), Session: word(e.Values, "s"), Agent: word(e.Values, "a")}
		p, err := event.NewPath(word(e.Values, "p"))
		ms, err2 := strconv.ParseInt(word(e.Values, "t"), 10, 64)
		if err != nil || err2 != nil || n.Writer == s.writer {
			continue // of this daemon, or of a stranger
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
