package prefetch

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// The names of settings that State folds.
const (
	settingThreshold = "threshold" // what Options.Threshold is
	settingRevive    = "revive"    // a kind of hint that has another chance
)

// setting takes in what a person decided. State asks the log and not the setting of the moment: a replay under another
// setting gives the same.
func (s *State) setting(b event.Setting) {
	switch b.Name {
	case settingThreshold:
		if v, err := strconv.ParseFloat(b.Value, 64); err == nil && clamp(v) != s.Base {
			s.Base = clamp(v)
			clear(s.Drift) // it was learned under another one
		}
	case settingRevive:
		if k := Kind(b.Value); s.Retired[k] {
			delete(s.Retired, k)
			s.weaken(k, 0)
		}
	}
}

// SetThreshold is the event that says what Options.Threshold is from now on; false if the log says so already.
func (s *State) SetThreshold(value float64, at time.Time) (event.Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return event.Event{ID: fmt.Sprintf("setting:%s:%d", settingThreshold, at.UnixNano()), Time: at, Agent: "cli",
		Body: event.Setting{Name: settingThreshold, Value: strconv.FormatFloat(value, 'g', -1, 64)}}, clamp(value) != s.Base
}

// SetRevived is the event that gives a retired kind another chance at once. call makes its ID.
func SetRevived(kind Kind, call string, at time.Time) event.Event {
	return event.Event{ID: "revive:" + string(kind) + ":" + call, Time: at, Agent: "cli",
		Body: event.Setting{Name: settingRevive, Value: string(kind)}}
}
