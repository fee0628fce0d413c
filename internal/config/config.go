package config

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Config is every setting, checked. The documented list with types, defaults and limits is Keys.
type Config struct {
	Threshold        float64                  // θ at the start: hints are shown from this probability on
	Holdout          float64                  // share of suggestions withheld to measure what they are worth
	RedisURL         string                   // "" is the embedded store
	RepoID           string                   // the hash tag of the keys; "" is derived from origin
	IdleTimeout      time.Duration            // the daemon stops after so long without a caller; 0 never
	Retention        Retention                // what the log keeps
	Durability       string                   // "normal" or "full": whether each batch of the log is synced to the disk
	SnapshotInterval time.Duration            // time between two snapshots of the hot store
	Schedules        map[string]string        // job → cron line; every job is present, "" of snapshot is SnapshotInterval
	HalfLives        map[string]time.Duration // hot family → half-life, only those that were set
	Kinds            map[string]bool          // kind of suggestion → said or not; every kind is present
	Tags             map[string]string        // path pattern → intent tag, without '#'
	Watch            string                   // "on", "off" or "poll"
	Quiet            time.Duration            // a burst of saves ends after so long without one
	AtMost           time.Duration            // and is reported after so long in any case
	Transcripts      string                   // "ask", "on" or "off": read past transcripts at init
	PausedUntil      time.Time                // zero is not paused
	LogLevel         slog.Level               // of the daemon's log
	PartnerAtStop    bool                     // what a change lacks is told when the agent is about to stop, not after edits
	SessionTokens    int                      // tokens that suggestions may cost in one session; 0 is none
	Context          Context                  // tokens of what was said and done
	MetricsAddr      string                   // "" is no TCP listener
	Reload           Reload                   // the recorded sequences
	Stage            Stage                    // what the stage cache keeps
	PipelineEnv      []string                 // variables that pipelines may read as $ENV_NAME

	values map[string]string // key → value as Get prints it, patterns of tags included
	origin map[string]string // key → where its value comes from
}

// Context bounds what a session is told of itself, in tokens.
type Context struct{ Prompts, Actions, Total int }

// Retention bounds the event log.
type Retention struct {
	Events time.Duration // raw events are kept so long
	Bytes  int64         // the store is at most so large
}

// Origin says where the value of a key comes from: "default", the name of a file, or "AOA_…".
func (c Config) Origin(key string) string { return c.origin[key] }

// Get returns the value of a key in the form that Set takes.
func (c Config) Get(key string) (string, error) {
	if v, ok := c.values[key]; ok {
		return v, nil
	}
	if k, ok := lookup(key); ok {
		if k.Name == key {
			return k.Default, nil
		}
		return "", fmt.Errorf("read config: no tag is set for the pattern %q", strings.TrimPrefix(key, tagsPrefix))
	}
	return "", fmt.Errorf("read config: %w", unknownKey(key))
}

// Warning is something odd that does not stop anyone.
type Warning struct {
	Where string // file:line, or the name of the variable
	Text  string
}

func (w Warning) String() string { return w.Where + ": " + w.Text }
