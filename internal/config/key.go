package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"
)

// Key describes one setting: a row of the table, or one pattern of tags.
type Key struct {
	Name    string   // dotted: retention.bytes; "tags.PATTERN" stands for any pattern
	Default string   // in the form that Get returns
	Env     string   // for example AOA_RETENTION_BYTES; "" for tags
	Allowed string   // the allowed values, in words
	Words   []string // values offered by completion
	Help    string   // what the setting does
	Effect  Effect

	pattern string                  // the PATTERN of a tags.PATTERN setting
	set     func(text string) error // parses a value and stores it in the Config of the table
}

// Effect says when a changed setting takes effect in a daemon that is running.
type Effect string

const (
	AtOnce    Effect = "at once"
	NextStart Effect = "from the next start of the daemon"
)

// row returns a row of the table. Its value is parsed into field.
func row[T any](field *T, name, standard string, v valueType[T], effect Effect) Key {
	if v.words == nil && standard != "" {
		v.words = []string{standard}
	}
	return Key{Name: name, Default: standard, Env: "AOA_" + strings.ToUpper(strings.ReplaceAll(name, ".", "_")),
		Allowed: v.allowed, Words: v.words, Help: Described(name), Effect: effect,
		set: func(text string) (err error) {
			value, err := v.read(text)
			if err == nil {
				*field = value
			}
			return err
		}}
}

//go:embed help.txt
var helpText string

// Described returns what help.txt says about a setting, a variable, or "kind NAME", a kind of hints.
func Described(name string) string {
	var lines []string
	_, text, _ := strings.Cut(helpText, "\n"+name+"\n")
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, " ")
}

const (
	tagsPrefix = "tags."
	anyPattern = tagsPrefix + "PATTERN"
)

// FindKey finds a setting by its name. Any name that begins with "tags." is a setting.
func FindKey(name string) (Key, bool) { return find(Keys(), nil, name) }

// find finds a setting whose value is stored in c, the Config of the table.
func find(table []Key, c *Config, name string) (Key, bool) {
	pattern, ofTags := strings.CutPrefix(name, tagsPrefix)
	i := slices.IndexFunc(table, func(k Key) bool { return k.Name == name || ofTags && k.Name == anyPattern })
	if i < 0 {
		return Key{}, false
	}
	k := table[i]
	if ofTags {
		k.Name, k.pattern = name, pattern
		k.set = func(text string) error {
			if pattern == "" || len(pattern) > 512 {
				return errors.New("a pattern has 1 to 512 bytes")
			}
			value, err := tag.read(strings.TrimPrefix(text, "#"))
			if err == nil {
				c.Tags[pattern] = value
			}
			return err
		}
	}
	return k, true
}

// parse parses a value and stores it in the field of the setting. The error names the key and the
// allowed values.
func (k Key) parse(value string) error {
	err := k.set(value)
	if err == nil {
		return nil
	}
	if k.Name == "redis_url" { // the value may contain a password
		value = "…"
	}
	return fmt.Errorf("%s: %q: %w; allowed is %s", k.Name, value, err, k.Allowed)
}

// errUnknown is wrapped by errors about a setting that does not exist.
var errUnknown = errors.New("no such setting")

// unknownKey returns the error about an unknown setting or variable, with the most similar known
// name.
func unknownKey(name string) error {
	var known []string
	for _, k := range Keys() {
		if strings.HasPrefix(name, "AOA_") {
			known = append(known, k.Env)
		} else {
			known = append(known, k.Name)
		}
	}
	if near := Nearest(name, known); near != "" {
		return fmt.Errorf("%w: %q; did you mean %q?", errUnknown, name, near)
	}
	return fmt.Errorf("%w: %q", errUnknown, name)
}

// Nearest returns the known word that is most similar to word, or "" if none is similar: at most
// a third of the letters, rounded up, may differ. Only the first 64 bytes are compared.
func Nearest(word string, known []string) (best string) {
	word = strings.ToLower(word[:min(len(word), 64)])
	least := (len(word)+2)/3 + 1
	for _, k := range known {
		if d := fuzzy.LevenshteinDistance(word, strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
