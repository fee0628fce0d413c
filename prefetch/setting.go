package prefetch

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// settingThreshold is the name of the setting that State reads from the log: the value of
// Options.Threshold.
const settingThreshold = "threshold"

// setting applies a threshold that a person has set. State takes it from the log and not from the
// settings file, so that a replay under other settings gives the same result.
func (s *State) setting(b event.Setting) {
	if v, err := strconv.ParseFloat(b.Value, 64); b.Name == settingThreshold && err == nil && clamp(v) != s.Base {
		s.Base = clamp(v)
		clear(s.Drift) // it was learned under another threshold
	}
}

// SetThreshold returns the event that records a new value of Options.Threshold; false if the log
// already has this value.
func (s *State) SetThreshold(value float64, at time.Time) (event.Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return event.Event{ID: fmt.Sprintf("setting:%s:%d", settingThreshold, at.UnixNano()), Time: at, Agent: "cli",
		Body: event.Setting{Name: settingThreshold, Value: strconv.FormatFloat(value, 'g', -1, 64)}}, clamp(value) != s.Base
}
