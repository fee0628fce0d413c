package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// keptAnswer is what aoa why --at repeats.
type keptAnswer struct {
	Query  event.Query  `json:"query"`
	Answer event.Answer `json:"answer"`
}

// answers keeps what was answered. They are written beside the question: a write waits for the one transaction
// that SQLite allows at a time, and an import's takes longer than an answer may.
type answers struct {
	db   *cold.DB
	log  *slog.Logger
	wake chan struct{}

	writing sync.Mutex // held while answers are written

	mu      sync.Mutex           // guards what follows
	waiting map[int64]keptAnswer // not written yet
	last    int64                // time of the newest answer, unix ms
}

// maxWaiting bounds the answers that wait while the store cannot be written.
const maxWaiting = 256

func newAnswers(db *cold.DB, log *slog.Logger) *answers {
	return &answers{db: db, log: log, wake: make(chan struct{}, 1), waiting: map[int64]keptAnswer{}}
}

// stamp gives an answer its time, unix milliseconds: one that no other answer of this daemon has.
func (a *answers) stamp(now int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last-now > time.Minute.Milliseconds() {
		a.last = now // the clock was ahead and is back
	}
	a.last = max(now, a.last+1)
	return a.last
}

// keep hands an answer over to be written.
func (a *answers) keep(k keptAnswer) {
	a.mu.Lock()
	if len(a.waiting) < maxWaiting {
		a.waiting[k.Answer.At] = k
	}
	a.mu.Unlock()
	signal(a.wake)
}

// at finds the answer given at that time; errors are cold's.
func (a *answers) at(ctx context.Context, at int64) (keptAnswer, error) {
	a.mu.Lock()
	k, ok := a.waiting[at]
	a.mu.Unlock()
	if ok {
		return k, nil
	}
	raw, err := a.db.Answer(ctx, at)
	if err != nil {
		return k, err
	}
	if err := json.Unmarshal(raw, &k); err != nil {
		return k, fmt.Errorf("read the answer given at %d: %w", at, err)
	}
	return k, nil
}

// without runs fn while no answer is written, and lets go of all that wait: they may name what fn forgets.
func (a *answers) without(fn func() error) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	err := fn()
	a.mu.Lock()
	clear(a.waiting)
	a.mu.Unlock()
	return err
}

// run writes answers until ctx ends, then the rest.
func (a *answers) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return a.flush(context.WithoutCancel(ctx))
		case <-a.wake:
		}
		pause(ctx, answersAge)
		if err := a.flush(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("answers not kept", "err", err)
		}
	}
}

// answersAge is how long an answer waits for others to be written with: a transaction each would cost a sixth of
// what answering does.
const answersAge = 50 * time.Millisecond

// flush writes what waits. What cannot be written now waits for the next answer.
func (a *answers) flush(ctx context.Context) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.mu.Lock()
	todo := make(map[int64][]byte, len(a.waiting))
	for at, k := range a.waiting {
		raw, err := json.Marshal(k)
		if err != nil {
			a.mu.Unlock()
			return err // only numbers that are none fail, and rank makes none
		}
		todo[at] = raw
	}
	a.mu.Unlock()
	if err := a.db.SaveAnswers(ctx, todo); err != nil {
		return err
	}
	a.mu.Lock()
	for at := range todo {
		delete(a.waiting, at)
	}
	a.mu.Unlock()
	return nil
}
