package cold

import "sync/atomic"

// Position is how much of the event log a consumer contains. The zero value is at its begin. It is safe for
// concurrent use.
type Position struct {
	applied atomic.Int64 // the last batch folded
	durable atomic.Int64 // the last batch that is on the disk wholly
}

// Begin sets the position.
func (p *Position) Begin(applied int64) {
	p.Fold(applied)
	p.Kept(applied)
}

// Applied is the number of the last batch folded.
func (p *Position) Applied() int64 { return p.applied.Load() }

// Durable is the number of the last batch that is on the disk wholly.
func (p *Position) Durable() int64 { return p.durable.Load() }

// Fold notes that a batch was folded.
func (p *Position) Fold(seq int64) { p.applied.Store(seq) }

// Kept notes that the batches up to seq are on the disk.
func (p *Position) Kept(seq int64) { p.durable.Store(seq) }
