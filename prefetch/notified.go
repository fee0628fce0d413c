package prefetch

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// notified remembers the hints that one conversation got, or was meant to get.
type notified struct {
	statuses map[event.Path]Status            // shown or withheld, under whatever kind
	kinds    map[HintKind]map[event.Path]bool // predicted under that kind, in any status
}

func (t notified) add(kind HintKind, status Status, f event.Path) {
	if t.kinds[kind] == nil {
		t.kinds[kind] = map[event.Path]bool{}
	}
	t.kinds[kind][f] = true
	if status != Shadow && t.statuses[f] != Shown {
		t.statuses[f] = status
	}
}

// notifiedOf returns that of a conversation.
func notifiedOf(marks []session.Mark, conversation string) notified {
	t := notified{map[event.Path]Status{}, map[HintKind]map[event.Path]bool{}}
	for _, m := range marks {
		if m.By == conversation {
			t.add(HintKind(m.Kind), Status(m.Status), m.File)
		}
	}
	return t
}
