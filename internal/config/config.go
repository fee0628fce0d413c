package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Config holds every setting, checked. The tags of its fields are the one list of settings: name, default, values that are
// allowed, and help. Limits are read from "allow", so that what is printed is what is checked. A map has a setting for each of its
// members (see members), and tags has one for each pattern.
type Config struct {
	Threshold float64 `key:"threshold" default:"0.6" allow:"0.40 to 0.90, or conservative (0.80), balanced (0.60), aggressive (0.40)" help:"probability from which hints are shown; it adapts from there"`

	ListThreshold float64 `key:"threshold.prompt" default:"0.55" allow:"0.40 to 0.90" help:"probability from which a list of files is shown at a prompt: that one of them is opened, if the turn opens any; it adapts from there"`

	Holdout float64 `key:"holdout" default:"0.1" allow:"0 to 0.5" help:"share of the suggestions that is withheld, to measure what they are worth"`

	SessionTokens int `key:"tokens.session" default:"2000" allow:"0 to 1000000" help:"tokens that suggestions may cost in one session; 0 shows none"`

	Context Context

	RedisURL string `key:"redis_url" allow:"empty, or redis://, rediss://, unix://, redis-sentinel:// or redis-cluster:// and an address; docs/store.md" help:"a Redis 7 or Valkey 8 that several machines share; empty for the embedded store"`

	RepoID string `key:"repo_id" allow:"empty, or up to 128 letters, digits and ._:/@-" help:"name of the repository in a shared store; empty to derive it from the remote origin"`

	IdleTimeout time.Duration `key:"idle_timeout" default:"4h" allow:"0, or 1m to 365d" help:"the daemon stops after this time without a call; 0 for never"`

	Retention Retention

	Durability string `key:"durability" default:"normal" allow:"normal or full" help:"normal: a power cut may lose the events of the last 5 seconds; full: it loses none, and each batch waits for the disk; read at the start"`

	Watch string `key:"watch" default:"on" allow:"on, off or poll" help:"watch the worktree for saved files; poll where the system does not report changes"`

	Quiet time.Duration `key:"quiet" default:"100ms" allow:"1ms to 1m" help:"a burst of saves ends after this time without one"`

	AtMost time.Duration `key:"at_most" default:"2s" allow:"1ms to 10m" help:"a burst of saves is reported after this time at the latest"`

	Transcripts string `key:"transcripts" default:"ask" allow:"ask, on or off" help:"read past sessions of agents at aoa init"`

	PausedUntil time.Time `key:"paused_until" allow:"empty, or a time like 2026-03-01T15:04:05Z" help:"nothing is learned or shown until then; aoa pause sets it"`

	LogLevel slog.Level `key:"log_level" default:"info" allow:"debug, info, warn or error" help:"what the daemon writes to its log"`

	MetricsAddr string `key:"metrics_addr" allow:"empty, or host:port" help:"serve metrics on this TCP address too; empty for the socket only"`

	Reload Reload
	Stage  Stage

	PipelineEnv []string `key:"pipeline.env" default:"CI,HOME,USER" allow:"empty, or names of variables with commas between them" help:"variables that a pipeline may read as $ENV_NAME"`

	Kinds map[string]bool   `key:"kinds" default:"on" help:"hint "`
	Tags  map[string]string `key:"tags" allow:"up to 64 letters, digits and .-_/ ; as AOA_TAGS: pattern=tag,pattern=tag" help:"files that match the pattern get this intent tag"`

	values map[string]string // key → value as Get prints it, patterns of tags included
	origin map[string]string // key → where its value comes from
}

// Context bounds what a session gets of its own history, in tokens.
type Context struct {
	Total   int `key:"context.total" default:"499" allow:"0 to 100000" help:"tokens of its own history that a session gets after a compaction and from aoa context"`
	Prompts int `key:"context.prompts" default:"300" allow:"0 to 100000" help:"at most this many of these tokens for prompts"`
	Actions int `key:"context.actions" default:"100" allow:"0 to 100000" help:"at most this many of these tokens for actions"`
}

// Retention bounds the event log.
type Retention struct {
	Bytes int64 `key:"retention.bytes" default:"500MB" allow:"10MB to 1TB" help:"largest size of sessions and saves in the log; the oldest are deleted first, what was learned from them stays"`
}

// Reload sets how sequences of calls are recorded, offered and replayed.
type Reload struct {
	Record        bool          `key:"reload.record" default:"on" help:"record what prompts lead to, so that it can be offered and replayed"`
	MaxEntries    int           `key:"reload.max_entries" default:"100" allow:"1 to 10000" help:"number of sequences kept; the least recently used are removed first"`
	MaxIdle       time.Duration `key:"reload.max_idle" default:"24h" allow:"1m to 365d" help:"a sequence is removed after this time without use"`
	MinSimilarity float64       `key:"reload.min_similarity" default:"0.7" allow:"0.5 to 1" help:"similarity from which a sequence is offered"`
	Auto          bool          `key:"reload.auto" default:"off" help:"replay sequences that only read without asking; the output goes to the data cache"`
	AutoThreshold float64       `key:"reload.auto_threshold" default:"0.95" allow:"0.7 to 1" help:"similarity from which reload.auto applies"`
	Commands      []string      `key:"reload.commands" allow:"commands with ; between them; ' *' at the end stands for plain words" help:"commands that a replay may run, such as: go test ./...; make lint"`
	CommandTime   time.Duration `key:"reload.command_time" default:"60s" allow:"1s to 1h" help:"time that one of these commands may take"`
}

// Stage bounds the stage cache.
type Stage struct {
	Bytes  int64         `key:"stage.bytes" default:"200MB" allow:"1MB to 100GB" help:"largest size of all results of stages; the longest unused are removed first"`
	Keep   time.Duration `key:"stage.keep" default:"30d" allow:"1h to 3650d" help:"the result of a stage is removed after this time without use"`
	Output int64         `key:"stage.output" default:"16MB" allow:"1KB to 256MiB" help:"a result larger than this is not kept"`
}

// member is a setting of a map field.
type member struct {
	name, normal, help string
	key                string // in the map; "" for name
}

// members lists the settings of the map fields by the field's key.
var members = map[string][]member{
	"kinds": { // of suggestions
		{name: "partner", help: "when a change looks complete: files that usually change with its files and were not edited"},
		{name: "rescue", help: "after a call failed on a path: where the file is now"},
		{name: "start", help: "at the start of a session: earlier work that is not committed; after a compaction: what was found out"},
		{name: "prompt", help: "at a prompt: up to five files, one of which the turn probably opens"},
		{name: "stale", help: "when a file changed since this session read it"},
		{name: "next", normal: "off", help: "before a file is opened: the one that is likely to be opened next"},
		{name: "reload", help: "at a prompt: recorded sequences that such prompts led to"},
	},
	"tags": {{name: "PATTERN"}},
}

// Origin says where the value of a key comes from: "default", the name of a file, or "AOA_…".
func (c Config) Origin(key string) string { return c.origin[key] }

// Get returns the value of a key in the form that Set takes.
func (c Config) Get(key string) (string, error) {
	if v, ok := c.values[key]; ok {
		return v, nil
	}
	k, ok := lookup(key)
	switch {
	case !ok:
		return "", fmt.Errorf("read config: %w", unknownKey(key))
	case key == anyPattern:
		return "", nil
	}
	return "", fmt.Errorf("read config: no tag is set for the pattern %q", k.member)
}

// Warning is a mistake that does not keep the settings from being used.
type Warning struct {
	Where string // file:line, or the name of the variable
	Text  string
}

func (w Warning) String() string { return w.Where + ": " + w.Text }

// field is the key of a member in its map.
func (m member) field() string { return cmp.Or(m.key, m.name) }

// variable is the environment variable of a key.
func variable(key string) string {
	if strings.HasPrefix(key, tagsPrefix) {
		return "AOA_TAGS"
	}
	return "AOA_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
