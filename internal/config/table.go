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
		row(&c.Threshold, "threshold", "0.6", orWord(number("0.4", "0.9"), presets), AtOnce),
		row(&c.ListThreshold, "threshold.prompt", "0.65", number("0.4", "0.9"), AtOnce),
		row(&c.Kinds, "kinds", "partner,rescue,search,start,prompt,stale,reload",
			listed(words(Kinds...), "none"), AtOnce),
		row(&c.Holdout, "holdout", "0.1", number("0", "0.5"), AtOnce),
		row(&c.SessionTokens, "tokens.session", "2000", count("0", "1000000"), AtOnce),
		row(&c.ContextTotal, "context.total", "499", count("0", "100000"), AtOnce),
		row(&c.Transcripts, "transcripts", "ask", words("ask", "on", "off"), AtOnce),
		row(&c.Watch, "watch", "on", words("on", "off", "poll"), AtOnce),
		row(&c.Quiet, "quiet", "100ms", duration("1ms", "1m"), AtOnce),
		row(&c.IdleTimeout, "idle_timeout", "4h", duration("0", "365d"), AtOnce),
		row(&c.RetentionBytes, "retention.bytes", "500MB", size("10MB", "1TB"), AtOnce),
		row(&c.Durability, "durability", "normal", words("normal", "full"), NextStart),
		row(&c.RedisURL, "redis_url", "", redisURL(), NextStart),
		row(&c.RepoID, "repo_id", "",
			shaped("empty, or up to 128 letters, digits and ._:/@-", 0, 128, func(place int, r rune) bool {
				return isWord(place, r) || strings.ContainsRune(".:/@-", r)
			}), NextStart),
		row(&c.TeamWords, "team.words", "off", onOff(), AtOnce),
		row(&c.Reload, "reload", "on", onOff(), AtOnce),
		row(&c.MinSimilarity, "reload.min_similarity", "0.7", number("0.5", "1"), AtOnce),
		row(&c.StageBytes, "stage.bytes", "200MB", size("1MB", "100GB"), AtOnce),
		row(&c.PipelineEnv, "pipeline.env", "CI,HOME,USER",
			listed(shaped("names of variables", 1, 128, func(place int, r rune) bool {
				return isWord(place, r) && (place > 0 || r > '9')
			}), ""), AtOnce),
		row(&c.LogLevel, "log_level", "info", levels(), AtOnce),
		{Name: anyPattern, Allowed: tag.allowed, Effect: AtOnce, Help: Described(anyPattern)},
	}
}

// Variables lists the environment variables that the programs read, besides AOA_KEY for each
// setting.
var Variables = []string{"AOA", "AOA_SKIP", "AOA_STORE", "AOA_ROOT", "AOA_PATIENCE"}

// presets maps the words for a threshold to numbers.
var presets = map[string]string{"conservative": "0.80", "balanced": "0.60", "aggressive": "0.40"}

// tag is the type of the value of tags.PATTERN.
var tag = shaped("up to 64 letters, digits and .-_/", 1, 64, func(place int, r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || place > 0 && strings.ContainsRune(".-_/", r)
})
