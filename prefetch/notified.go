package prefetch

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// notified is what one conversation was notified of, or was to be.
type notified struct {
	arms  map[event.Path]Arm           // shown or withheld, under whatever kind
	kinds map[Kind]map[event.Path]bool // predicted under that kind, in any arm
}

func (t notified) add(kind Kind, arm Arm, f event.Path) {
	if t.kinds[kind] == nil {
		t.kinds[kind] = map[event.Path]bool{}
	}
	t.kinds[kind][f] = true
	if arm != Shadow && t.arms[f] != Shown {
		t.arms[f] = arm
	}
}

// notifiedOf is that of a conversation.
func notifiedOf(marks []live.Mark, conversation string) notified {
	t := notified{map[event.Path]Arm{}, map[Kind]map[event.Path]bool{}}
	for _, m := range marks {
		if m.By == conversation {
			t.add(Kind(m.Kind), Arm(m.Arm), m.File)
		}
	}
	return t
}
