package hot

import (
	"context"

	"github.com/aoa-dev/aoa/internal/aoa"
)

func (w *writes) renames(b *Batch) error { return nil }

// Forget removes a file from every set, for good.
func (s *Store) Forget(ctx context.Context, p aoa.Path) error { return nil }
