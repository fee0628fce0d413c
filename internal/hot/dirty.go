package hot

import "context"

// Dirty packs what changed since the last call, or with full everything.
func (s *Store) Dirty(ctx context.Context, full bool) ([]Record, error) { return nil, nil }

// Restore loads records.
func (s *Store) Restore(ctx context.Context, recs []Record) error { return nil }
