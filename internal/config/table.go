package config

import (
	"strings"
	"sync"
	"unicode"
)

// Keys returns the table of all settings in the order of the documentation: name, default, type and
// limits, field of Config, when a change takes effect, and what the setting does. Messages and
// documents about settings are generated from it.
var Keys = sync.OnceValue(func() []Key { return table(&Config{}) })

// table returns the rows. Their values are stored in the fields of c.
func table(c *Config) []Key {
	return []Key{
		row(&c.Threshold, "threshold", "0.6", orWord(number("0.4", "0.9"), presets), AtOnce,
			"The least probability of a hint that is shown. The daemon then adapts it for each kind of hint."),
		row(&c.ListThreshold, "threshold.prompt", "0.65", number("0.4", "0.9"), AtOnce,
			"The least probability of a list of files that is shown at a prompt or after a search: that the turn "+
				"opens one of them, if it opens any file. At a session's first prompt it is .05 lower. The daemon "+
				"then adapts it."),
		row(&c.Kinds, "kinds", "partner,rescue,search,start,prompt,stale,reload",
			listed(words(kindNames()...), "none"), AtOnce,
			"The kinds of hints that are shown."),
		row(&c.Holdout, "holdout", "0.1", number("0", "0.5"), AtOnce,
			"This share of the hints is withheld, so that aoa stats hints can say what the shown ones are worth."),
		row(&c.SessionTokens, "tokens.session", "2000", count("0", "1000000"), AtOnce,
			"The most tokens that hints may use in one session. 0 shows no hints."),
		row(&c.ContextTotal, "context.total", "499", count("0", "100000"), AtOnce,
			"The most tokens of its own history that a session gets, at its start and from aoa context. After a "+
				"compaction it gets at most 150."),
		row(&c.Transcripts, "transcripts", "ask", words("ask", "on", "off"), AtOnce,
			"Whether aoa init reads the past sessions of agents."),
		row(&c.Watch, "watch", "on", words("on", "off", "poll"), AtOnce,
			"Whether the worktree is watched for saved files. poll is for network file systems, which do not "+
				"report changes."),
		row(&c.Quiet, "quiet", "100ms", duration("1ms", "1m"), AtOnce,
			"A burst of saves has ended when no file was saved for this time."),
		row(&c.IdleTimeout, "idle_timeout", "4h", duration("0", "365d"), AtOnce,
			"The daemon stops when nothing has called it for this time. 0 lets it run forever. A daemon "+
				"that was called only once stops after ten minutes."),
		row(&c.RetentionBytes, "retention.bytes", "500MB", size("10MB", "1TB"), AtOnce,
			"The largest size of sessions and saves in the log. The oldest are deleted first, and what was "+
				"learned from them stays."),
		row(&c.Durability, "durability", "normal", words("normal", "full"), NextStart,
			"With normal, a power cut may lose the events of the last 5 seconds. With full it loses none, and "+
				"each batch of events waits for the disk."),
		row(&c.RedisURL, "redis_url", "", redisURL(), NextStart,
			"A Redis 7 or Valkey 8 server over which the daemons of several clones exchange what they learn "+
				"(docs/team.md). Empty for none."),
		row(&c.RepoID, "repo_id", "",
			shaped("empty, or up to 128 letters, digits and ._:/@-", 0, 128, func(place int, r rune) bool {
				return isWord(place, r) || strings.ContainsRune(".:/@-", r)
			}), NextStart,
			"The name of the repository on that server, for clones with different remotes. Empty to derive it "+
				"from the remote origin."),
		row(&c.TeamWords, "team.words", "off", onOff(), AtOnce,
			"Whether words of prompts and of patterns go to that server, too."),
		row(&c.Reload, "reload", "on", onOff(), AtOnce,
			"Whether the actions that follow a prompt are recorded, so that they can be offered and repeated."),
		row(&c.MinSimilarity, "reload.min_similarity", "0.7", number("0.5", "1"), AtOnce,
			"How similar two prompts must be before a recorded sequence is offered."),
		row(&c.StageBytes, "stage.bytes", "200MB", size("1MB", "100GB"), AtOnce,
			"The most space that all results of stages may take together. The longest unused are removed first."),
		row(&c.PipelineEnv, "pipeline.env", "CI,HOME,USER",
			listed(shaped("names of variables", 1, 128, func(place int, r rune) bool {
				return isWord(place, r) && (place > 0 || r > '9')
			}), ""), AtOnce,
			"The variables that a pipeline may read as $ENV_NAME."),
		row(&c.LogLevel, "log_level", "info", levels(), AtOnce,
			"The least severe level of messages that the daemon writes to its log."),
		{Name: anyPattern, Allowed: tag.allowed, Effect: AtOnce,
			Help: "Files, prompts and commands that match the pattern get this intent tag (docs/suggest.md)."},
	}
}

// Variable is an environment variable that is not a setting.
type Variable struct{ Name, Help string }

// Variables lists the environment variables that the programs read, besides AOA_KEY for each
// setting.
var Variables = []Variable{
	{"AOA", "`0` silences every hook of the processes that have it."},
	{"AOA_SKIP", "`1` does the same, under the name that other hooks use."},
	{"AOA_STORE", "Another folder for the store, a new or an empty one."},
	{"AOA_ROOT", "The folder of the repository that `aoa mcp` serves."},
	{"AOA_PATIENCE", "A factor for slow machines, 1 to 100: hooks, the status line and completion wait that many " +
		"times longer for their input and for an answer."},
}

// presets maps the words for a threshold to numbers.
var presets = map[string]string{"conservative": "0.80", "balanced": "0.60", "aggressive": "0.40"}

// tag is the type of the value of tags.PATTERN.
var tag = shaped("up to 64 letters, digits and .-_/", 1, 64, func(place int, r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || place > 0 && strings.ContainsRune(".-_/", r)
})
