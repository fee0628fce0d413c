package redis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
)

// keyLife is set on the keys of sessions beside the own expiry index, for daemons that never come back.
const keyLife = 2 * hot.SessionLife

// wordsPerStep bounds one transaction: nobody else is served while it runs.
const wordsPerStep = 20000

// Apply writes a batch and its sequence; seq counts from 1 and grows. A batch whose sequence was applied before is
// skipped, and one that was cut short is taken up where it stopped, so after an error Apply may be called again with
// the same batch. Small batches are one transaction; the steps of a large one become visible one by one. Facts are
// left out: they are the daemon's own.
func (s *Store) Apply(ctx context.Context, b *hot.Batch, seq int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := b.Resolve(s.table)
	if err == nil && seq > s.applied {
		err = s.apply(ctx, r, seq)
	}
	if err != nil {
		return fmt.Errorf("apply batch %d: %w", seq, err)
	}
	return nil
}

func (s *Store) apply(ctx context.Context, r *hot.Resolved, seq int64) error {
	s.latest = max(s.latest, s.clock.Believable(r.Newest))
	w := &writes{store: s, ctx: ctx, seq: seq}
	if err := w.renames(r.Moved); err != nil {
		return fmt.Errorf("carry over renames: %w", err)
	}
	for _, c := range r.Sets {
		if c.Epoch >= c.Family.Epoch(s.clock.Believable(s.latest))-1 { // else no reader adds it any more
			w.increment(c)
		}
	}
	for _, c := range r.Stamps {
		w.zadd(s.keys.set(c.Family, 0, ""), "GT", c.Members)
		w.zadd(s.keys.newest(c.Family), "GT", hot.Best(c.Members, hot.NewestKept))
	}
	for _, c := range r.Sessions {
		w.session(c)
	}
	if s.latest > hot.Undated {
		w.add("GROW", s.keys.meta(), metaNewest, s.latest)
	}
	w.notices(r.Notices)
	if err := w.flush(true); err != nil {
		return err
	}
	if len(r.Notices) > 0 {
		s.client.Publish(ctx, s.keys.wake(), s.writer) // it may fail: the others look now and then in any case
	}
	// What a failure leaves undone here, the next tick does.
	for _, job := range []struct {
		what string
		at   time.Time
		do   func(context.Context, float64) error
	}{{"trim", r.Trim, s.trim}, {"decay", r.Decay, s.decay}, {"sweep", r.Sweep, s.sweep}} {
		if job.at.IsZero() {
			continue
		}
		if err := job.do(ctx, hot.Seconds(job.at)); err != nil {
			return fmt.Errorf("%s: %w", job.what, err)
		}
	}
	return nil
}

// writes turns a batch into commands, in transactions of bounded size. The same batch is always cut alike, so that a
// second attempt finds which of its transactions are in.
type writes struct {
	store *Store
	ctx   context.Context
	seq   int64
	cmds  []command
	words int
	step  int   // transactions made so far
	whole bool  // what is added now must not be cut
	err   error // the first that failed; nothing is sent after it
}

func (w *writes) add(words ...any) {
	w.cmds = append(w.cmds, words)
	w.words += len(words)
	if w.words >= wordsPerStep && !w.whole {
		w.err = w.flush(false)
	}
}

// flush sends what was added as one transaction that also records how far the batch has come.
func (w *writes) flush(last bool) error {
	if w.err != nil {
		return w.err
	}
	s := w.store
	w.step++
	after := mark(s.applied, w.step)
	if last {
		after = mark(w.seq, 0)
	}
	cmds := w.cmds
	w.cmds, w.words = nil, 0
	if w.step > s.step { // else a former attempt got as far as this
		if err := s.eval(w.ctx, cmds, mark(s.applied, s.step), after); err != nil {
			return err
		}
	}
	s.step = max(s.step, w.step)
	if last {
		s.applied, s.step = w.seq, 0
	}
	return nil
}

func (w *writes) increment(c hot.SetChange) {
	set := w.store.keys.set(c.Family, c.Epoch, c.Owner)
	if !c.Family.Global() {
		w.store.grown[ownedKey{c.Family, c.Epoch, c.Owner}] = true
	}
	for _, m := range c.Members {
		w.add("ZINCRBY", set, m.Score, m.Name)
	}
}

// zadd writes members in commands of bounded length.
func (w *writes) zadd(set, flag string, ms []hot.Member) {
	for chunk := range slices.Chunk(ms, 1000) {
		words := []any{"ZADD", set}
		if flag != "" {
			words = append(words, flag)
		}
		for _, m := range chunk {
			words = append(words, m.Score, m.Name)
		}
		w.add(words...)
	}
}

func (w *writes) session(c *hot.SessionChange) {
	s := w.store
	fields := s.keys.session(c.ID)
	if c.Renew {
		w.add("DEL", fields)
	}
	for p := range hot.Parts {
		set := s.keys.part(c.ID, p)
		if c.Clear[p] {
			w.add("DEL", set)
		}
		for _, name := range slices.Sorted(maps.Keys(c.Remove[p])) {
			w.add("ZREM", set, name)
		}
		var ms []hot.Member
		for _, name := range slices.Sorted(maps.Keys(c.Set[p])) {
			ms = append(ms, hot.Member{Name: name, Score: c.Set[p][name]})
		}
		if len(ms) > 0 {
			w.zadd(set, partFlag(p), ms)
			w.add("EXPIRE", set, int(keyLife.Seconds()))
		}
	}
	for _, f := range slices.Sorted(maps.Keys(c.Fields)) {
		if c.Fields[f] == "" {
			w.add("HDEL", fields, f)
		} else {
			w.add("HSET", fields, f, c.Fields[f])
		}
	}
	w.add("EXPIRE", fields, int(keyLife.Seconds()))
	if c.Touched {
		w.add("ZADD", s.keys.expiry(), "GT", c.Last+hot.SessionLife.Seconds(), c.ID)
	} else if s.latest > hot.Undated {
		w.add("ZADD", s.keys.expiry(), "NX", s.clock.Believable(s.latest)+hot.SessionLife.Seconds(), c.ID)
	}
}

// partFlag is how ZADD does what hot.SessionChange says of a part.
func partFlag(p hot.Part) string {
	switch p {
	case hot.PartOrder:
		return "NX"
	case hot.PartSeen:
		return ""
	}
	return "GT"
}
