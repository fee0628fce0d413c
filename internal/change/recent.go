package change

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/watcher"
)

// Recent keeps what git said of a checkout last, for hints: an agent waits 50 ms, and git is
// several processes. The zero value knows nothing. It is safe for concurrent use.
type Recent struct {
	mu    sync.Mutex // guards known
	known state
}

// state is what git says of a checkout beside its files. It is used as long as HEAD and the index
// are the same; a push in the meantime is noticed after recentFor.
type state struct {
	head     string
	index    time.Time // when the index was written
	asked    time.Time
	unmerged bool
	own      []event.Path // what the user's unpushed commits hold
}

// Limits of what is remembered and waited for.
const (
	recentFor  = time.Minute
	recentWait = 5 * time.Second // for git, after a hint that came too late
)

// state asks git, or, for a hint, takes what it said last. A hint does not wait longer than ctx:
// git is asked all the same, for the next one.
func (c *Checkout) state(ctx context.Context, repo *watcher.Repo, r Request) (state, error) {
	if !r.Hint || c.Recent == nil {
		return c.ask(ctx, repo, r)
	}
	now, err := c.stamp(ctx)
	if err != nil {
		return state{}, err
	}
	if known := c.Recent.get(); known.head == now.head && known.index.Equal(now.index) &&
		now.asked.Sub(known.asked) < recentFor {
		return known, nil
	}
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recentWait)
		defer cancel()
		got, err := c.ask(ctx, repo, r)
		if err == nil {
			got.head, got.index, got.asked = now.head, now.index, now.asked
			c.Recent.set(got)
		}
		done <- err
	}()
	select {
	case err := <-done:
		return c.Recent.get(), err
	case <-ctx.Done():
		return state{}, ctx.Err()
	}
}

// stamp distinguishes states without asking git.
func (c *Checkout) stamp(ctx context.Context) (s state, err error) {
	s.asked = c.Now()
	if _, s.head, err = c.Repo.Head(ctx); err != nil {
		return s, err
	}
	if st, err := os.Stat(filepath.Join(c.Repo.GitDir, "index")); err == nil { // without one nothing was ever added
		s.index = st.ModTime()
	}
	return s, nil
}

// ask asks git.
func (c *Checkout) ask(ctx context.Context, repo *watcher.Repo, r Request) (s state, err error) {
	if s.unmerged, err = repo.Unmerged(ctx); err != nil || s.unmerged {
		return s, err
	}
	s.own, err = c.Repo.Unpushed(ctx, r.Committer, c.Now())
	return s, err
}

func (r *Recent) get() state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known
}

func (r *Recent) set(s state) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = s
}
