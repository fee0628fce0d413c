package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/reload"
)

// endsTurns reports whether an agent reports the ends of turns. An unknown agent might, so the
// result is true.
func endsTurns(agent string) bool {
	a, known := agents.Find(agent)
	return !known || a.EndsTurns()
}

// newSequences returns the cache of sequences without opening anything.
func (d *Daemon) newSequences() *reload.Cache {
	return reload.New(reload.Options{Blobs: d.blobs, DB: d.db, Now: d.now, Log: d.alert, Redact: redact.Text,
		Turns: d.events.Turns,
		Place: func() reload.Worktree { return d.worktrees.At(context.Background(), "").Sequences() },
		Config: func() reload.Config {
			c := d.settings.Get()
			return reload.Config{Off: !c.Reload, MinSimilarity: c.MinSimilarity}
		}})
}
