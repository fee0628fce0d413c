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

// Recent remembers the last state of a checkout, for hints: an agent waits only 50 ms, and asking
// git takes several processes. The zero value is empty. It is safe for concurrent use.
type Recent struct {
	mu    sync.Mutex // guards known
	known state
}

// state is the state of a checkout apart from its files. It stays valid as long as HEAD and the
// index are the same; a push in the meantime is noticed after recentFor.
type state struct {
	head     string
	index    time.Time // when the index was written
	asked    time.Time
	unmerged bool
	own      []event.Path // files in the user's unpushed commits
}

// Limits for remembering and waiting.
const (
	recentFor  = time.Minute
	recentWait = 5 * time.Second // for git, after a hint whose time is over
)

// state returns the state from git or, for a hint, the remembered one. A hint waits no longer than
// ctx; git is then still asked, so that the next hint has the answer.
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

// stamp returns a state with only the fields that can be read without git. They show whether a
// remembered state is still valid.
func (c *Checkout) stamp(ctx context.Context) (s state, err error) {
	s.asked = c.Now()
	if _, s.head, err = c.Repo.Head(ctx); err != nil {
		return s, err
	}
	// the index is missing if nothing was ever added
	if st, err := os.Stat(filepath.Join(c.Repo.GitDir, "index")); err == nil {
		s.index = st.ModTime()
	}
	return s, nil
}

// ask gets the state from git.
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
