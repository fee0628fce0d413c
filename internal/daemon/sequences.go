package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/reload"
)

// newSequences opens nothing.
func (d *Daemon) newSequences() *reload.Cache {
	return reload.New(reload.Options{Blobs: d.blobs, DB: d.db, Now: d.now, Log: d.alert, Redact: redact.Text,
		EndsTurns: func(agent string) bool { a, known := agents.Find(agent); return !known || a.EndsTurns() },
		Place:     func() reload.Worktree { return d.worktrees.At(context.Background(), "").Sequences() },
		Config: func() reload.Config {
			c := d.settings.Get()
			return reload.Config{Off: !c.Reload, MinSimilarity: c.MinSimilarity}
		}})
}
