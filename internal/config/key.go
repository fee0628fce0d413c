package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lithammer/fuzzysearch/fuzzy"
)

// Key is one setting, for aoa config and the documentation.
type Key struct {
	Name    string // dotted: retention.events; "tags.PATTERN" has a free part
	Type    string // duration, size, share, word, …
	Default string // in the form of Get
	Env     string // AOA_RETENTION_EVENTS
	Allowed string // what a value may be, in words
	Help    string

	parse func(c *Config, value string) error
}

const (
	kindsPrefix    = "kinds."
	halfLifePrefix = "half_lives."
	tagsPrefix     = "tags."
)

// halfLife is a family of the hot store whose half-life may be set.
type halfLife struct{ key, family, half, help string }

// halfLives lists the families by short names, with the defaults of the hot store.
var halfLives = []halfLife{
	{"frequency", "scores:frequency", "7d", "accesses of a file"},
	{"churn", "scores:churn", "30d", "commits of a file"},
	{"changes", "scores:changes", "365d", "changes of a file together with others"},
	{"sessions", "scores:sessions", "90d", "sessions that opened a file"},
	{"moves", "scores:moves", "90d", "moves from a file to the next"},
	{"tag_freq", "tag_freq", "30d", "uses of a tag"},
	{"term_freq", "term_freq", "90d", "uses of a word"},
	{"comod", "comod", "365d", "two files changing together"},
	{"coacc", "coacc", "90d", "two files opened in one session"},
	{"next", "next", "90d", "one file opened right after another"},
	{"tag", "tag", "30d", "files under a tag"},
	{"file", "file", "30d", "tags of a file"},
	{"term", "term", "90d", "files under a word"},
}

// kinds lists the kinds of suggestions with what each is for.
var kinds = []struct{ name, help string }{
	{"partner", "after edits: files that change with them and are untouched"},
	{"rescue", "a call failed on a path: where the file is now"},
	{"workingset", "a session begins or was compacted: the files of this work"},
	{"prompt", "a prompt arrived: files that such prompts led to"},
	{"stale", "a file changed since this session read it"},
	{"pair", "first edit of a file: its test or its source"},
	{"next", "before a file is opened: the one that will be opened next"},
	{"reload", "a prompt arrived: recorded sequences that such prompts led to"},
}

// keys is the list of everything that can be set, in the order of the documentation.
var keys = slices.Concat([]Key{
	{Name: "threshold", Type: "probability", Default: "0.6", Allowed: "0.40 to 0.90, or conservative (0.80), balanced (0.60), aggressive (0.40)",
		Help:  "hints are shown from this probability on; it adapts from there",
		parse: func(c *Config, v string) (err error) { c.Threshold, err = parseThreshold(v); return err }},
	{Name: "holdout", Type: "share", Default: "0.1", Allowed: "0 to 0.5",
		Help:  "share of the suggestions that is withheld to measure what they are worth",
		parse: func(c *Config, v string) (err error) { c.Holdout, err = parseShare(v, 0, 0.5); return err }},
	{Name: "tokens.session", Type: "count", Default: "2000", Allowed: "0 to 1000000",
		Help:  "tokens that suggestions may cost in one session; 0 says nothing",
		parse: func(c *Config, v string) (err error) { c.SessionTokens, err = parseCount(v, 1_000_000); return err }},
	{Name: "partner.at_stop", Type: "switch", Default: "off", Allowed: "on or off",
		Help:  "tell what a change lacks when the agent is about to stop, not after each batch of edits; keeps its turn going, which costs a call of the model (Claude Code)",
		parse: func(c *Config, v string) (err error) { c.PartnerAtStop, err = parseSwitch(v); return err }},
	contextKey("total", "499", "tokens of what a session is told of itself after a compaction, and by aoa context", func(c *Context) *int { return &c.Total }),
	contextKey("prompts", "300", "of these, at most so many for prompts", func(c *Context) *int { return &c.Prompts }),
	contextKey("actions", "100", "of these, at most so many for actions", func(c *Context) *int { return &c.Actions }),
	{Name: "redis_url", Type: "url", Default: "", Allowed: "empty, or redis://, rediss://, unix://, redis-sentinel:// or redis-cluster:// and an address; docs/store.md",
		Help:  "a Redis 7 or Valkey 8 shared by several machines; empty is the embedded store",
		parse: func(c *Config, v string) (err error) { c.RedisURL, err = parseRedis(v); return err }},
	{Name: "repo_id", Type: "word", Default: "", Allowed: "empty, or up to 128 letters, digits and ._:/@-",
		Help:  "name of the repository in a shared store; empty is derived from its origin",
		parse: func(c *Config, v string) (err error) { c.RepoID, err = parseID(v); return err }},
	{Name: "idle_timeout", Type: "duration", Default: "4h", Allowed: "0, or 1m to 365d",
		Help:  "the daemon stops after so long without a caller; 0 never",
		parse: duration(func(c *Config) *time.Duration { return &c.IdleTimeout }, true, time.Minute, 365*day)},
	{Name: "snapshot_interval", Type: "duration", Default: "45s", Allowed: "1s to 5m",
		Help:  "time between two snapshots of what was learned",
		parse: duration(func(c *Config) *time.Duration { return &c.SnapshotInterval }, false, time.Second, 5*time.Minute)},
	{Name: "retention.events", Type: "duration", Default: "180d", Allowed: "1d to 36500d",
		Help:  "raw events are kept so long after they were logged; what was learned from them stays",
		parse: duration(func(c *Config) *time.Duration { return &c.Retention.Events }, false, day, 36500*day)},
	{Name: "retention.bytes", Type: "size", Default: "500MB", Allowed: "10MB to 1TB, in B, KB, MB, GB, TB or KiB, MiB, GiB, TiB",
		Help:  "the store is at most so large",
		parse: func(c *Config, v string) (err error) { c.Retention.Bytes, err = parseSize(v, 10e6, 1e12); return err }},
	{Name: "durability", Type: "word", Default: "normal", Allowed: "normal or full",
		Help:  "normal: a power cut may take along what was logged in the last 5 seconds; full: nothing, each batch waits for the disk; read at the start",
		parse: func(c *Config, v string) (err error) { c.Durability, err = parseWord(v, "normal", "full"); return err }},
	{Name: "watch", Type: "word", Default: "on", Allowed: "on, off or poll",
		Help:  "watch the worktree for saves; poll where the system cannot tell of changes",
		parse: func(c *Config, v string) (err error) { c.Watch, err = parseWord(v, "on", "off", "poll"); return err }},
	{Name: "quiet", Type: "duration", Default: "100ms", Allowed: "1ms to 1m",
		Help:  "a burst of saves ends after so long without one",
		parse: duration(func(c *Config) *time.Duration { return &c.Quiet }, false, time.Millisecond, time.Minute)},
	{Name: "at_most", Type: "duration", Default: "2s", Allowed: "1ms to 10m",
		Help:  "a burst of saves is reported after so long in any case",
		parse: duration(func(c *Config) *time.Duration { return &c.AtMost }, false, time.Millisecond, 10*time.Minute)},
	{Name: "transcripts", Type: "word", Default: "ask", Allowed: "ask, on or off",
		Help: "read past sessions of agents when a repository is set up",
		parse: func(c *Config, v string) (err error) {
			c.Transcripts, err = parseWord(v, "ask", "on", "off")
			return err
		}},
	{Name: "paused_until", Type: "time", Default: "", Allowed: "empty, or a time like 2026-03-01T15:04:05Z",
		Help:  "nothing is learned or said until then; aoa pause sets it",
		parse: func(c *Config, v string) (err error) { c.PausedUntil, err = parseTime(v); return err }},
	{Name: "log_level", Type: "word", Default: "info", Allowed: "debug, info, warn or error",
		Help:  "what the daemon writes to its log",
		parse: func(c *Config, v string) (err error) { c.LogLevel, err = parseLevel(v); return err }},
	{Name: "metrics_addr", Type: "address", Default: "", Allowed: "empty, or host:port",
		Help:  "serve metrics on this TCP address too; empty keeps them on the socket",
		parse: func(c *Config, v string) (err error) { c.MetricsAddr, err = parseAddr(v); return err }},
}, reloadKeys, stageKeys, scheduleKeys(), kindKeys(), halfLifeKeys(), []Key{
	{Name: tagsPrefix + "PATTERN", Type: "word", Default: "", Allowed: "up to 64 letters, digits and .-_/ ; as AOA_TAGS: pattern=tag,pattern=tag",
		Help: "files that match the pattern get this intent tag"},
})

// contextKey is a setting of Context.
func contextKey(name, normal, help string, field func(*Context) *int) Key {
	return Key{Name: "context." + name, Type: "count", Default: normal, Allowed: "0 to 100000", Help: help,
		parse: func(c *Config, v string) (err error) { *field(&c.Context), err = parseCount(v, 100_000); return err }}
}

func kindKeys() []Key {
	var out []Key
	for _, k := range kinds {
		out = append(out, Key{Name: kindsPrefix + k.name, Type: "switch", Default: "on", Allowed: "on or off", Help: "say: " + k.help,
			parse: func(c *Config, v string) error {
				on, err := parseSwitch(v)
				c.Kinds[k.name] = on
				return err
			}})
	}
	return out
}

func halfLifeKeys() []Key {
	var out []Key
	for _, h := range halfLives {
		out = append(out, Key{Name: halfLifePrefix + h.key, Type: "duration", Default: h.half, Allowed: "1h to 36500d",
			Help: "half-life of: " + h.help,
			parse: func(c *Config, v string) error {
				d, err := parseDuration(v, false, time.Hour, 36500*day)
				c.HalfLives[h.family] = d
				return err
			}})
	}
	return out
}

// Keys returns the list of settings.
func Keys() []Key {
	out := slices.Clone(keys)
	for i := range out {
		out[i].Env = envName(out[i].Name)
	}
	return out
}

// Variables lists the environment variables with the prefix AOA that are no settings.
var Variables = map[string]string{
	"AOA":          "0 silences every hook",
	"AOA_SKIP":     "1 silences every hook",
	"AOA_PATIENCE": "1 to 100: hooks, status line and completion wait so many times longer for an answer",
	"AOA_STORE":    "folder of the store, in place of the git directory",
}

// envName is the variable of a key.
func envName(key string) string {
	if strings.HasPrefix(key, tagsPrefix) {
		return "AOA_TAGS"
	}
	return "AOA_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// lookup finds a key by its name. Names that begin with "tags." are the key with the free part.
func lookup(name string) (Key, bool) {
	if p, ok := strings.CutPrefix(name, tagsPrefix); ok {
		return Key{Name: tagsPrefix + "PATTERN", Type: "word", Allowed: keys[len(keys)-1].Allowed,
			parse: func(c *Config, v string) error {
				if p == "" || len(p) > 512 {
					return errors.New("a pattern has 1 to 512 bytes")
				}
				tag, err := parseTag(v)
				c.Tags[p] = tag
				return err
			}}, true
	}
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

// group reports whether keys begin with that name and a dot.
func group(name string) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return strings.HasPrefix(k.Name, name+".") })
}

// ErrUnknown is wrapped by errors about a key that does not exist.
var ErrUnknown = errors.New("no such setting")

func unknownKey(name string) error {
	if near := nearest(name); near != "" {
		return fmt.Errorf("%w: %q; did you mean %q? (aoa config lists them)", ErrUnknown, name, near)
	}
	return fmt.Errorf("%w: %q (aoa config lists them)", ErrUnknown, name)
}

// nearest returns the known key most like a name, "" if none is close.
func nearest(name string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, k := range keys {
		for _, candidate := range []string{k.Name, envName(k.Name)} {
			if d := distance(name, candidate); d < least {
				best, least = k.Name, d
				if candidate != k.Name && strings.HasPrefix(name, "AOA_") {
					best = candidate
				}
			}
		}
	}
	return best
}

// distance is the number of characters to insert, drop or replace, in the first 64 bytes of a.
func distance(a, b string) int {
	return fuzzy.LevenshteinDistance(strings.ToLower(a[:min(len(a), 64)]), strings.ToLower(b))
}
