package schedule

import (
	"context"
	"sync"
	"time"
)

// Signal wakes the goroutine that receives from it. However often it was given before, the goroutine
// wakes once.
type Signal chan struct{}

// NewSignal returns a Signal that was not given.
func NewSignal() Signal { return make(Signal, 1) }

// Give gives the signal. It never waits.
func (s Signal) Give() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// Gate is closed until it is opened, for good. It is safe for concurrent use.
type Gate struct {
	once   sync.Once
	opened chan struct{}
}

// NewGate returns a closed Gate.
func NewGate() *Gate { return &Gate{opened: make(chan struct{})} }

// Open opens the gate.
func (g *Gate) Open() { g.once.Do(func() { close(g.opened) }) }

// IsOpen reports whether the gate is open.
func (g *Gate) IsOpen() bool {
	select {
	case <-g.opened:
		return true
	default:
		return false
	}
}

// Wait waits until the gate is open, but not longer than most. It reports whether it is open.
func (g *Gate) Wait(ctx context.Context, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-g.opened:
	case <-ctx.Done():
	}
	return g.IsOpen()
}
