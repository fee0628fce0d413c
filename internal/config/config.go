package config

import (
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Config holds every setting, parsed and checked. Keys describes each field.
type Config struct {
	Threshold      float64
	ListThreshold  float64
	Kinds          []string // the kinds of hints that are shown, nil for none; see Shows
	Holdout        float64
	SessionTokens  int
	ContextTotal   int    // tokens
	Transcripts    string // ask, on or off
	Watch          string // on, off or poll
	Quiet          time.Duration
	IdleTimeout    time.Duration // 0 means that the daemon never stops by itself
	RetentionBytes int64
	Durability     string // normal or full
	RedisURL       string // "" means that nothing is exchanged
	RepoID         string // "" means that it is derived from the remote
	TeamWords      bool
	Reload         bool
	MinSimilarity  float64
	StageBytes     int64
	PipelineEnv    []string
	LogLevel       slog.Level
	Tags           map[string]string // pattern → intent tag, never nil after Load

	values layer // the values as they were found, including those of tags
}

// Kinds lists the kinds of hints that can be switched on and off.
var Kinds = []string{"partner", "rescue", "search", "start", "prompt", "stale", "next", "reload"}

// Shows reports whether hints of a kind are shown. Kinds that are not in Kinds are always shown.
func (c Config) Shows(kind string) bool {
	return slices.Contains(c.Kinds, kind) || !slices.Contains(Kinds, kind)
}

// Settings returns the settings in the order of the documentation. Each pattern of tags is a
// setting of its own; if none exists, one row "tags.PATTERN" represents them.
func (c Config) Settings() (out []Key) {
	for _, k := range Keys() {
		if k.Name != anyPattern || len(c.Tags) == 0 {
			out = append(out, k)
		}
	}
	for _, pattern := range sortedKeys(c.Tags) {
		k, _ := FindKey(tagsPrefix + pattern) // every name that begins with tags. is a setting
		out = append(out, k)
	}
	return out
}

// Origin says where the value of a key comes from: "default", the name of a file, or "AOA_…".
func (c Config) Origin(key string) string { return c.values[key].origin }

// Get returns the value of a key in the form that Set accepts.
func (c Config) Get(key string) (string, error) {
	if v, ok := c.values[key]; ok {
		return v.value, nil
	}
	k, ok := FindKey(key)
	switch {
	case !ok:
		return "", unknownKey(key)
	case key == anyPattern:
		return "", nil
	}
	return "", fmt.Errorf("no tag is set for the pattern %q", k.pattern)
}
