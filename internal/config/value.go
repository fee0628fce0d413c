package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

// valueType describes the values of a setting.
type valueType[T any] struct {
	allowed string                  // in words
	words   []string                // values offered by completion; nil for just the default
	read    func(string) (T, error) // parses a value; its error says what is wrong, allowed says what is right
}

// between accepts values from least to most, both written as a user would write them. fault
// describes a text that cannot be parsed.
func between[T cmp.Ordered](least, most, fault string, read func(string) (T, error)) valueType[T] {
	low, lowErr := read(least)
	high, highErr := read(most)
	if err := errors.Join(lowErr, highErr); err != nil {
		// the table has bad limits: every test fails
		panic("config: bounds " + least + ", " + most + ": " + err.Error())
	}
	return valueType[T]{allowed: least + " to " + most, read: func(v string) (T, error) {
		n, err := read(v)
		switch {
		case err != nil:
			err = errors.New(fault)
		case !(n >= low && n <= high): // NaN is rejected, too
			err = errors.New("out of range")
		}
		return n, err
	}}
}

func number(least, most string) valueType[float64] {
	return between(least, most, "not a number", func(v string) (float64, error) { return strconv.ParseFloat(v, 64) })
}

func count(least, most string) valueType[int] {
	return between(least, most, "not a whole number", strconv.Atoi)
}

func duration(least, most string) valueType[time.Duration] {
	return between(least, most, "not a duration", ParseDuration)
}

func size(least, most string) valueType[int64] {
	v := as(between(least, most, "not a size", humanize.ParseBytes),
		func(n uint64) (int64, error) { return int64(n), nil })
	v.allowed += ", in B, KB, MB, GB, TB or KiB, MiB, GiB, TiB"
	return v
}

// orWord also accepts words, each of which represents a value.
func orWord[T any](v valueType[T], words map[string]string) valueType[T] {
	read := v.read
	v.words = sortedKeys(words)
	for _, w := range v.words {
		v.allowed += fmt.Sprintf(", or %s (%s)", w, words[w])
	}
	v.read = func(text string) (T, error) { return read(cmp.Or(words[strings.ToLower(text)], text)) }
	return v
}

// switches maps the words that YAML uses for on and off.
var switches = map[string]string{"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"}

// words accepts the given words, and YAML's words for on and off if those are among them.
func words(allowed ...string) valueType[string] {
	last := len(allowed) - 1
	text := strings.Join(allowed[:last], ", ") + " or " + allowed[last]
	return valueType[string]{text, allowed, func(v string) (string, error) {
		for _, word := range []string{strings.ToLower(v), switches[strings.ToLower(v)]} {
			if slices.Contains(allowed, word) {
				return word, nil
			}
		}
		if near := Nearest(v, allowed); near != "" {
			return "", fmt.Errorf("no such word (did you mean %s?)", near)
		}
		return "", errors.New("no such word")
	}}
}

// as converts the values that another type has parsed.
func as[A, B any](v valueType[A], convert func(A) (B, error)) valueType[B] {
	return valueType[B]{v.allowed, v.words, func(text string) (b B, err error) {
		a, err := v.read(text)
		if err != nil {
			return b, err
		}
		return convert(a)
	}}
}

func onOff() valueType[bool] {
	return as(words("on", "off"), func(s string) (bool, error) { return s == "on", nil })
}

func levels() valueType[slog.Level] {
	return as(words("debug", "info", "warn", "error"), func(s string) (l slog.Level, err error) {
		return l, l.UnmarshalText([]byte(s))
	})
}

// shaped accepts texts of least to most characters, each of which must be allowed at its position.
// A regular expression is not used because every command would have to compile it.
func shaped(allowed string, least, most int, fits func(place int, r rune) bool) valueType[string] {
	return valueType[string]{allowed: allowed, read: func(v string) (string, error) {
		n := 0
		for _, r := range v {
			if !fits(n, r) {
				return "", errors.New("not of that form")
			}
			n++
		}
		if n < least || n > most {
			return "", errors.New("not of that form")
		}
		return v, nil
	}}
}

// isWord reports whether a character is an ASCII letter, an ASCII digit or an underscore.
func isWord(_ int, r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}

// listed accepts values separated by commas, and the word none for an empty list.
func listed(one valueType[string], none string) valueType[[]string] {
	out := valueType[[]string]{allowed: cmp.Or(none, "empty") + ", or " + one.allowed + " with commas between them"}
	if out.words = one.words; none != "" {
		out.words = append([]string{none}, one.words...)
	}
	out.read = func(v string) (list []string, err error) {
		if v == none {
			return nil, nil
		}
		for text := range strings.SplitSeq(v, ",") {
			text = strings.TrimSpace(text)
			value, err := one.read(text)
			if err != nil && text != v {
				err = fmt.Errorf("%q: %w", text, err)
			}
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	}
	return out
}

func redisURL() valueType[string] {
	const allowed = "empty, or redis://, rediss:// or unix:// and an address"
	return valueType[string]{allowed: allowed, read: func(v string) (string, error) {
		if v == "" {
			return v, nil
		}
		_, err := ParseRedis(v)
		return v, err
	}}
}

// units are the units that Go's durations lack, in hours.
var units = map[byte]float64{'d': 24, 'w': 7 * 24}

var inUnits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([0-9]*\.?[0-9]+)([dw])`) })

// ParseDuration parses Go's durations and also the units d (24 h) and w (7 d): 180d, 1w2d, 1d12h.
func ParseDuration(v string) (time.Duration, error) {
	return time.ParseDuration(inUnits().ReplaceAllStringFunc(v, func(s string) string {
		last := len(s) - 1
		// the pattern matches only numbers; one out of range is refused below
		n, _ := strconv.ParseFloat(s[:last], 64)
		return strconv.FormatFloat(n*units[s[last]], 'f', -1, 64) + "h"
	}))
}
