package config

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Config holds every setting, checked. The tags of its fields are the one list of settings: name, default, values
// that are allowed, what it does, and who changes it. Limits are read from "allow", so that what is printed is what
// is checked. The map tags has a setting for each pattern.
type Config struct {
	Threshold float64 `key:"threshold" default:"0.6" allow:"0.40 to 0.90, or conservative (0.80), balanced (0.60), aggressive (0.40)" help:"probability from which hints are shown; it adapts from there" who:"who wants fewer or more hints"`

	ListThreshold float64 `key:"threshold.prompt" default:"0.65" allow:"0.40 to 0.90" help:"probability from which a list of files is shown at a prompt or after a search: that one of them is opened, if the turn opens any; it adapts from there" who:"who wants fewer or more lists"`

	Kinds []string `key:"kinds" default:"partner,rescue,search,start,prompt,stale,reload" allow:"none, or kinds with commas between them" help:"the hints that are shown" who:"who is disturbed by a kind, or wants next"`

	Holdout float64 `key:"holdout" default:"0.1" allow:"0 to 0.5" help:"share of the hints that is withheld, to measure what they are worth" who:"who wants every hint, or to know sooner what aoa stats hints says of withheld ones"`

	SessionTokens int `key:"tokens.session" default:"2000" allow:"0 to 1000000" help:"tokens that hints may cost in one session; 0 shows none" who:"who pays for tokens"`

	ContextTotal int `key:"context.total" default:"499" allow:"0 to 100000" help:"tokens of its own history that a session gets at its start and from aoa context; after a compaction at most 150" who:"whose sessions are long, or whose model has a small window"`

	Transcripts string `key:"transcripts" default:"ask" allow:"ask, on or off" help:"read past sessions of agents at aoa init" who:"who sets up many machines"`

	Watch string `key:"watch" default:"on" allow:"on, off or poll" help:"watch the worktree for saved files; poll where the system does not report changes" who:"who works on a network file system"`

	Quiet time.Duration `key:"quiet" default:"100ms" allow:"1ms to 1m" help:"a burst of saves ends after this time without one" who:"whose tools save files slowly, one after the other"`

	IdleTimeout time.Duration `key:"idle_timeout" default:"4h" allow:"0, or 1m to 365d" help:"the daemon stops after this time without a call; 0 for never" who:"who wants the memory back earlier, or a daemon that stays"`

	RetentionBytes int64 `key:"retention.bytes" default:"500MB" allow:"10MB to 1TB" help:"largest size of sessions and saves in the log; the oldest are deleted first, what was learned from them stays" who:"whose disk is small"`

	Durability string `key:"durability" default:"normal" allow:"normal or full" help:"normal: a power cut may lose the events of the last 5 seconds; full: it loses none, and each batch waits for the disk; read at the start" who:"whose machine loses its power"`

	RedisURL string `key:"redis_url" allow:"empty, or redis://, rediss:// or unix:// and an address; docs/store.md" help:"a Redis 7 or Valkey 8 over which the daemons of several clones exchange what they learn; empty for none; read at the start" who:"teams"`

	RepoID string `key:"repo_id" allow:"empty, or up to 128 letters, digits and ._:/@-" help:"name of the repository for redis_url; empty to derive it from the remote origin" who:"teams whose clones have different remotes"`

	TeamWords bool `key:"team.words" default:"off" help:"words of prompts and of patterns go to redis_url, too" who:"teams that trust their server"`

	Reload bool `key:"reload" default:"on" help:"record what prompts lead to, so that it can be offered and repeated" who:"who wants no record of it"`

	MinSimilarity float64 `key:"reload.min_similarity" default:"0.7" allow:"0.5 to 1" help:"similarity of prompts from which a recorded sequence is offered" who:"who gets offers that do not fit"`

	StageBytes int64 `key:"stage.bytes" default:"200MB" allow:"1MB to 100GB" help:"largest size of all results of stages; the longest unused are removed first" who:"whose stages make large files"`

	PipelineEnv []string `key:"pipeline.env" default:"CI,HOME,USER" allow:"empty, or names of variables with commas between them" help:"variables that a pipeline may read as $ENV_NAME" who:"whose pipelines need more of them"`

	LogLevel slog.Level `key:"log_level" default:"info" allow:"debug, info, warn or error" help:"what the daemon writes to its log" who:"who reports a fault"`

	Tags map[string]string `key:"tags" allow:"up to 64 letters, digits and .-_/" help:"files that match the pattern get this intent tag" who:"whose folders have names that say little"`

	values map[string]string // key → value as Get prints it, patterns of tags included
	origin map[string]string // key → where its value comes from
}

// HintKind is a kind of hint that can be switched on and off.
type HintKind struct{ Name, Help string }

// Kinds are all of them.
var Kinds = []HintKind{
	{"partner", "when a change looks complete: what still uses a name that it removes, and files that usually change with it"},
	{"rescue", "after a call failed on a path: where the file is now"},
	{"search", "after a search named no file, or more than 30: where the name is defined, the file of nearly that name, or a list of files"},
	{"start", "at the start of a session: earlier work that is not committed; after a compaction: where the work stands"},
	{"prompt", "at a prompt: up to five files, one of which the turn probably opens"},
	{"stale", "when a file that the session has read has other bytes on disk now, and no call of the session wrote them"},
	{"next", "before a file is opened: the one that is likely to be opened next"},
	{"reload", "at a prompt: recorded sequences that such prompts led to"},
}

// Shows reports whether hints of a kind are shown. A kind that cannot be switched always is.
func (c Config) Shows(kind string) bool {
	return slices.Contains(c.Kinds, kind) || !slices.ContainsFunc(Kinds, func(k HintKind) bool { return k.Name == kind })
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

// variable is the environment variable of a key, "" of tags.
func variable(key string) string {
	if strings.HasPrefix(key, tagsPrefix) {
		return ""
	}
	return "AOA_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
