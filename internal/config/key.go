package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lithammer/fuzzysearch/fuzzy"
)

// Key is one setting, for aoa config and the documentation.
type Key struct {
	Name    string // dotted: retention.bytes; "tags.PATTERN" stands for any pattern
	Default string // in the form of Get
	Env     string // AOA_RETENTION_BYTES; "" of tags
	Allowed string // what a value may be, in words
	Help    string // what it does
	Who     string // changes it

	field  []int        // of Config
	typ    reflect.Type // of the field, or of the elements of its map
	member string       // its key in the map, "" if the field is not in a map
}

const (
	tagsPrefix = "tags."
	anyPattern = tagsPrefix + "PATTERN"
)

// allowedOf describes the values of types whose fields do not.
var allowedOf = map[reflect.Type]string{
	reflect.TypeFor[bool]():  "on or off",
	reflect.TypeFor[int64](): ", in B, KB, MB, GB, TB or KiB, MiB, GiB, TiB", // after the limits
}

// Keys returns all settings, in the order of the documentation.
var Keys = sync.OnceValue(func() (out []Key) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if !f.IsExported() {
			continue
		}
		k := Key{Name: f.Tag.Get("key"), Default: f.Tag.Get("default"), Help: f.Tag.Get("help"), Who: f.Tag.Get("who"),
			field: f.Index, typ: f.Type}
		if f.Type.Kind() == reflect.Map {
			k.Name, k.member, k.typ = anyPattern, "PATTERN", f.Type.Elem()
		}
		k.Allowed, k.Env = f.Tag.Get("allow")+allowedOf[k.typ], variable(k.Name)
		out = append(out, k)
	}
	return out
})

// wordList is a list of the only words that a value may be.
var wordList = regexp.MustCompile(`^[a-z]+(, [a-z]+)* or [a-z]+$`)

// Values returns what a shell may complete: the words that the value may be, else the default.
func (k Key) Values() []string {
	switch {
	case k.Name == "threshold":
		return slices.Sorted(maps.Keys(presets))
	case k.Name == "kinds":
		return []string{"none", k.Default}
	case wordList.MatchString(k.Allowed):
		return strings.Split(strings.ReplaceAll(k.Allowed, " or ", ", "), ", ")
	case k.Default != "":
		return []string{k.Default}
	}
	return nil
}

// set parses a value into its field of the config.
func (k Key) set(c *Config, value string) error {
	v, err := k.parse(value)
	if err != nil {
		// Values that may be secret are not repeated.
		if k.Name == "redis_url" {
			value = "…"
		}
		return fmt.Errorf("%s: %q: %w: allowed is %s", k.Name, value, err, k.Allowed)
	}
	f := reflect.ValueOf(c).Elem().FieldByIndex(k.field)
	if k.member == "" {
		f.Set(reflect.ValueOf(v))
		return nil
	}
	if f.IsNil() {
		f.Set(reflect.MakeMap(f.Type()))
	}
	f.SetMapIndex(reflect.ValueOf(k.member), reflect.ValueOf(v))
	return nil
}

// variables lists the environment variables with the prefix AOA that are not settings.
var variables = []string{
	"AOA_SKIP",     // 1 silences every hook, as AOA=0 does
	"AOA_PATIENCE", // 1 to 100: hooks, status line and completion wait this many times longer for an answer
	"AOA_STORE",    // folder of the store, in place of the git directory
}

// lookup finds a key by its name. A name that begins with "tags." is the setting of a pattern.
func lookup(name string) (Key, bool) {
	i := slices.IndexFunc(Keys(), func(k Key) bool {
		return k.Name == name || k.Name == anyPattern &&
			strings.HasPrefix(name, tagsPrefix)
	})
	if i < 0 {
		return Key{}, false
	}
	k := Keys()[i]
	k.Name = name
	if p, ok := strings.CutPrefix(name, tagsPrefix); ok {
		k.member = p
	}
	return k, true
}

// errUnknown is wrapped by errors about a key that does not exist.
var errUnknown = errors.New("no such setting")

func unknownKey(name string) error {
	if near := nearest(name); near != "" {
		return fmt.Errorf("%w: %q; did you mean %q? (aoa config lists them)", errUnknown, name, near)
	}
	return fmt.Errorf("%w: %q (aoa config lists them)", errUnknown, name)
}

// nearest returns the known key or variable most like a name, "" if none is close.
func nearest(name string) string {
	var known []string
	for _, k := range Keys() {
		if strings.HasPrefix(name, "AOA_") {
			known = append(known, k.Env)
		} else {
			known = append(known, k.Name)
		}
	}
	return Nearest(name, known)
}

// Nearest returns the one of the known words that is most like a word, "" if none is close: a third of its letters may
// differ, or two. Only the first 64 bytes are compared.
func Nearest(word string, known []string) (best string) {
	word = strings.ToLower(word[:min(len(word), 64)])
	least := max(2, len(word)/3) + 1
	for _, k := range known {
		if d := fuzzy.LevenshteinDistance(word, strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}
