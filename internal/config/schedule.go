package config

import (
	"errors"

	"github.com/robfig/cron/v3"
)

const schedulePrefix = "schedule."

// schedules lists the daemon's regular jobs with their defaults.
var schedules = []struct{ job, line, help string }{
	{"trim", "@hourly", "keep the strongest members of each set, end sessions, drop old epochs"},
	{"decay", "@daily", "drop what of a file's scores has faded to nothing"},
	{"sweep", "@weekly", "drop what nobody writes any more: faded partners, parts without a session, empty facts"},
	{"refit", "@daily", "fit the confidence of hints to this repository's outcomes, judge the last fit, take back a bad one"},
	{"prune", "@daily", "keep the log within retention"},
	{"snapshot", "", "write what was learned, in place of snapshot_interval"},
}

func scheduleKeys() []Key {
	var out []Key
	for _, j := range schedules {
		out = append(out, Key{Name: schedulePrefix + j.job, Type: "schedule", Default: j.line,
			Allowed: "empty for the default, or a cron line: 5 fields, @hourly, @daily, @weekly or @every 30m", Help: "when to " + j.help,
			parse: func(c *Config, v string) error {
				if v == "" {
					v = j.line
				}
				if _, err := cron.ParseStandard(v); v != "" && err != nil {
					return errors.New("not a cron line")
				}
				c.Schedules[j.job] = v
				return nil
			}})
	}
	return out
}
