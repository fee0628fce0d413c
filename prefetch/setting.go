package prefetch

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// settingThreshold is the name of the setting that State folds: what Options.Threshold is.
const settingThreshold = "threshold"

// setting applies a person's decision. State reads it from the log and not from the present
// settings, so that a replay under other settings gives the same result.
func (s *State) setting(b event.Setting) {
	if v, err := strconv.ParseFloat(b.Value, 64); b.Name == settingThreshold && err == nil && clamp(v) != s.Base {
		s.Base = clamp(v)
		clear(s.Drift) // it was learned under another one
	}
}

// SetThreshold is the event that says what Options.Threshold is from now on; false if the log says
// so already.
func (s *State) SetThreshold(value float64, at time.Time) (event.Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return event.Event{ID: fmt.Sprintf("setting:%s:%d", settingThreshold, at.UnixNano()), Time: at, Agent: "cli",
		Body: event.Setting{Name: settingThreshold, Value: strconv.FormatFloat(value, 'g', -1, 64)}}, clamp(value) != s.Base
}
