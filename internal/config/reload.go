package config

import (
	"errors"
	"strings"
	"time"
)

// Reload sets how sequences of calls are recorded, offered and replayed.
type Reload struct {
	Record        bool
	MaxEntries    int
	MaxIdle       time.Duration
	MinSimilarity float64
	Auto          bool
	AutoThreshold float64
	Commands      []string
	CommandTime   time.Duration
}

// maxCommands bounds the list of commands, in bytes.
const maxCommands = 8 << 10

var reloadKeys = []Key{
	{Name: "reload.record", Type: "switch", Default: "on", Allowed: "on or off",
		Help:  "record what prompts lead to, so that it can be offered and replayed",
		parse: func(c *Config, v string) (err error) { c.Reload.Record, err = parseSwitch(v); return err }},
	{Name: "reload.max_entries", Type: "count", Default: "100", Allowed: "1 to 10000",
		Help: "sequences that are kept; those used least recently go",
		parse: func(c *Config, v string) (err error) {
			if c.Reload.MaxEntries, err = parseCount(v, 10_000); err == nil && c.Reload.MaxEntries < 1 {
				err = errors.New("out of range")
			}
			return err
		}},
	{Name: "reload.max_idle", Type: "duration", Default: "24h", Allowed: "1m to 365d",
		Help:  "a sequence goes when it was not used for so long",
		parse: duration(func(c *Config) *time.Duration { return &c.Reload.MaxIdle }, false, time.Minute, 365*day)},
	{Name: "reload.min_similarity", Type: "share", Default: "0.7", Allowed: "0.5 to 1",
		Help:  "a sequence is offered from this similarity on",
		parse: func(c *Config, v string) (err error) { c.Reload.MinSimilarity, err = parseShare(v, 0.5, 1); return err }},
	{Name: "reload.auto", Type: "switch", Default: "off", Allowed: "on or off",
		Help:  "replay a sequence that only looks without asking; its output goes to the data cache",
		parse: func(c *Config, v string) (err error) { c.Reload.Auto, err = parseSwitch(v); return err }},
	{Name: "reload.auto_threshold", Type: "share", Default: "0.95", Allowed: "0.7 to 1",
		Help:  "similarity from which on it is",
		parse: func(c *Config, v string) (err error) { c.Reload.AutoThreshold, err = parseShare(v, 0.7, 1); return err }},
	{Name: "reload.commands", Type: "list", Default: "", Allowed: "commands with ; between them; ' *' at the end stands for plain words",
		Help:  "commands that a replay may run, such as: go test ./...; make lint",
		parse: func(c *Config, v string) (err error) { c.Reload.Commands, err = parseCommands(v); return err }},
	{Name: "reload.command_time", Type: "duration", Default: "60s", Allowed: "1s to 1h",
		Help:  "time that one of them may take",
		parse: duration(func(c *Config) *time.Duration { return &c.Reload.CommandTime }, false, time.Second, time.Hour)},
}

// parseCommands reads a list of commands. There is no shell to run them, so nothing that only a shell understands is
// allowed in them.
func parseCommands(v string) ([]string, error) {
	if len(v) > maxCommands {
		return nil, errors.New("too long")
	}
	var out []string
	for _, c := range strings.Split(v, ";") {
		words := strings.Fields(c)
		switch {
		case len(words) == 0:
			continue
		case strings.ContainsAny(c, "|&<>$`(){}[]!#~\"'\\"):
			return nil, errors.New("a command has a character that only a shell understands")
		case strings.ContainsAny(strings.Join(words[:len(words)-1], ""), "*?") || words[len(words)-1] != "*" && strings.ContainsAny(words[len(words)-1], "*?"):
			return nil, errors.New("* stands at the end, by itself")
		case len(words) == 1 && words[0] == "*":
			return nil, errors.New("* needs a program before it")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out, nil
}
