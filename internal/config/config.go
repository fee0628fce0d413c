package config

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Config holds every setting, checked. Keys lists them with types, defaults and limits.
type Config struct {
	Threshold        float64                  // θ at the start: hints are shown from this probability on
	Holdout          float64                  // share of suggestions withheld to measure what they are worth
	RedisURL         string                   // "" for the embedded store
	RepoID           string                   // the hash tag of the keys; "" to derive it from origin
	IdleTimeout      time.Duration            // the daemon stops after so long without a call; 0 for never
	Retention        Retention                // what the log keeps
	Durability       string                   // "normal" or "full": whether each batch of the log is synced to the disk
	SnapshotInterval time.Duration            // time between two snapshots of the hot store
	Schedules        map[string]string        // job → cron line; has every job; "" of snapshot means SnapshotInterval
	HalfLives        map[string]time.Duration // hot family → half-life, only those that were set
	Kinds            map[string]bool          // kind of suggestion → whether it is shown; has every kind
	Tags             map[string]string        // path pattern → intent tag, without '#'
	Watch            string                   // "on", "off" or "poll"
	Quiet            time.Duration            // a burst of saves ends after so long without one
	AtMost           time.Duration            // a burst of saves is reported after so long in any case
	Transcripts      string                   // "ask", "on" or "off": read past transcripts at init
	PausedUntil      time.Time                // the zero time if not paused
	LogLevel         slog.Level               // of the daemon's log
	PartnerAtStop    bool                     // missing partners are shown when the agent is about to stop, not after edits
	SessionTokens    int                      // tokens that suggestions may cost in one session
	Context          Context                  // tokens of prompts and actions
	MetricsAddr      string                   // "" for no TCP listener
	Reload           Reload                   // the recorded sequences
	Stage            Stage                    // what the stage cache keeps
	PipelineEnv      []string                 // variables that pipelines may read as $ENV_NAME

	values map[string]string // key → value as Get prints it, patterns of tags included
	origin map[string]string // key → where its value comes from
}

// Context bounds what a session gets of its own history, in tokens.
type Context struct{ Prompts, Actions, Total int }

// Retention bounds the event log.
type Retention struct {
	Events time.Duration // how long raw events are kept
	Bytes  int64         // size of the store at most
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

// Warning is a mistake that does not keep the settings from being used.
type Warning struct {
	Where string // file:line, or the name of the variable
	Text  string
}

func (w Warning) String() string { return w.Where + ": " + w.Text }
