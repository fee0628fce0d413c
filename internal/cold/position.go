package cold

import "sync"

// Position is how much of the event log a consumer contains. The zero value is at its begin. It is safe for
// concurrent use.
type Position struct {
	mu      sync.Mutex // guards what follows
	applied int64      // the last batch folded
	durable int64      // the last batch that is on the disk wholly
}

// Begin sets the position.
func (p *Position) Begin(applied int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied, p.durable = applied, applied
}

// Applied is the number of the last batch folded.
func (p *Position) Applied() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.applied
}

// Durable is the number of the last batch that is on the disk wholly.
func (p *Position) Durable() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.durable
}

// Fold notes that a batch was folded.
func (p *Position) Fold(seq int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied = seq
}

// Kept notes that the batches up to seq are on the disk.
func (p *Position) Kept(seq int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.durable = seq
}
