package daemon

import (
	"context"
	"errors"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// exportPage is how many events an answer holds at least, unless it is the last.
const exportPage = 2000

// carried are the kinds that go to another clone: what sessions and people did. Commits, renames and branches a clone
// learns from git itself; ticks, suggestions and their outcomes are each daemon's own.
var carried = []event.Kind{event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch, event.KindRun, event.KindFailed, event.KindSave,
	event.KindDelete, event.KindStart, event.KindEnd}

var errPageFull = errors.New("the page is full")

// export gives a page of the log, without texts: what is learned is in the words and paths.
func (h *house) export(ctx context.Context, r api.ExportRequest) (api.ExportAnswer, error) {
	var out api.ExportAnswer
	if err := h.journal.Flush(ctx); err != nil {
		return out, err
	}
	last := r.After
	err := h.db.Replay(ctx, r.After, func(seq int64, batch []event.Event) error {
		if len(out.Events) >= exportPage {
			out.Next = last
			return errPageFull
		}
		last = seq
		for _, e := range batch {
			if slices.Contains(carried, e.Kind) {
				e.Text, e.Cause = "", ""
				out.Events = append(out.Events, e)
			}
		}
		return nil
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return out, err
}
