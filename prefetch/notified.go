package prefetch

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// notified remembers which files were shown to one conversation or withheld from it.
type notified struct {
	statuses map[event.Path]Status // for each file, whether it was shown or withheld, under any kind
	// for each kind, the files predicted under it; shadow only if they were never shown or withheld
	kinds map[HintKind]map[event.Path]Status
}

func (t notified) add(kind HintKind, status Status, f event.Path) {
	if t.kinds[kind] == nil {
		t.kinds[kind] = map[event.Path]Status{}
	}
	if of := t.kinds[kind]; of[f] == "" || status != Shadow && of[f] != Shown {
		of[f] = status
	}
	if status != Shadow && t.statuses[f] != Shown {
		t.statuses[f] = status
	}
}

// notifiedOf returns the notified of a conversation, from the marks of its session.
func notifiedOf(marks []session.Mark, conversation string) notified {
	t := notified{map[event.Path]Status{}, map[HintKind]map[event.Path]Status{}}
	for _, m := range marks {
		if m.By == conversation {
			t.add(HintKind(m.Kind), Status(m.Status), m.File)
		}
	}
	return t
}
