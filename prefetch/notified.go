package prefetch

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// notified remembers which files were shown to one conversation or withheld from it.
type notified struct {
	statuses map[event.Path]Status            // for each file, whether it was shown or withheld, under any kind
	kinds    map[HintKind]map[event.Path]bool // for each kind, the files predicted under it, in any status
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

// notifiedOf returns the notified of a conversation, from the marks of its session.
func notifiedOf(marks []session.Mark, conversation string) notified {
	t := notified{map[event.Path]Status{}, map[HintKind]map[event.Path]bool{}}
	for _, m := range marks {
		if m.By == conversation {
			t.add(HintKind(m.Kind), Status(m.Status), m.File)
		}
	}
	return t
}
