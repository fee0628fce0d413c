package cold

import (
	"context"
	"sync"
)

// Position is how much of an event log a consumer with a file of its own contains. The file has it in a table
//
//	position (one INTEGER PRIMARY KEY CHECK (one = 1), log TEXT NOT NULL, applied INTEGER NOT NULL)
//
// with one row: which log, and the number of the last batch that the file contains wholly. The zero value is at the begin of no
// log. It is safe for concurrent use.
type Position struct {
	mu      sync.Mutex // guards what follows
	log     string
	applied int64 // the last batch folded
	durable int64 // the last batch that the file says it contains
}

// ReadPosition returns what the file says; log is "" when that is not known.
func ReadPosition(ctx context.Context, f *File) (log string, applied int64, err error) {
	_, err = f.Scan(ctx, "SELECT log, applied FROM position", nil, &log, &applied)
	return log, applied, err
}

// Begin sets the position in a log.
func (p *Position) Begin(log string, applied int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log, p.applied, p.durable = log, applied, applied
}

// Applied is the number of the last batch folded.
func (p *Position) Applied() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.applied
}

// Durable is the number of the last batch that the file contains wholly.
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

// Write puts into the file that it contains the batches up to seq. Kept follows when the transaction is committed.
func (p *Position) Write(tx *Tx, seq int64) error {
	p.mu.Lock()
	log := p.log
	p.mu.Unlock()
	return tx.run([]any{log, seq}, "UPDATE position SET log = ?1, applied = ?2")
}

// Kept notes that the file contains the batches up to seq.
func (p *Position) Kept(seq int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.durable = seq
}
