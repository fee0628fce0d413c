package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// presets are the words for a threshold.
var presets = map[string]string{"conservative": "0.80", "balanced": "0.60", "aggressive": "0.40"}

// special are the parsers of settings whose type does not say enough.
var special = map[string]func(string) (any, error){
	"redis_url":    func(v string) (any, error) { return v, checkRedis(v) },
	"repo_id":      func(v string) (any, error) { return matching(v, 128, repoID, "not a name") },
	"pipeline.env": func(v string) (any, error) { return parseNames(v) },
	"kinds":        func(v string) (any, error) { return parseKinds(v) },
}

// parse reads a value of the type of the key's field. The error says what is wrong; the key says what is allowed.
func (k Key) parse(v string) (any, error) {
	if parse := special[k.Name]; parse != nil {
		return parse(v)
	}
	if strings.HasPrefix(k.Name, tagsPrefix) {
		if k.member == "" || len(k.member) > 512 {
			return "", errors.New("a pattern has 1 to 512 bytes")
		}
		return matching(strings.TrimPrefix(v, "#"), 64, tag, "not a tag")
	}
	switch k.typ {
	case reflect.TypeFor[bool]():
		return parseSwitch(v)
	case reflect.TypeFor[int]():
		return within(k.Allowed, v, parseCount)
	case reflect.TypeFor[int64]():
		return within(k.Allowed, v, parseSize)
	case reflect.TypeFor[float64]():
		return within(k.Allowed, cmp.Or(presets[strings.ToLower(v)], v), parseNumber)
	case reflect.TypeFor[time.Duration]():
		return within(k.Allowed, v, ParseDuration)
	}
	word, err := parseWord(v, strings.Split(strings.ReplaceAll(k.Allowed, " or ", ", "), ", "))
	if k.typ == reflect.TypeFor[slog.Level]() && err == nil {
		var l slog.Level
		err = l.UnmarshalText([]byte(word))
		return l, err
	}
	return word, err
}

// within reads a value and holds it against the limits in "LEAST to MOST, …" or "0, or LEAST to MOST".
func within[T cmp.Ordered](allowed, v string, read func(string) (T, error)) (T, error) {
	n, err := read(v)
	if err != nil {
		return n, err
	}
	limits, zero := strings.CutPrefix(allowed, "0, or ")
	limits, _, _ = strings.Cut(limits, ",")
	least, most, _ := strings.Cut(limits, " to ")
	low, lowErr := read(least)
	high, highErr := read(most)
	if err := errors.Join(lowErr, highErr); err != nil {
		panic("config: limits " + allowed + ": " + err.Error()) // a mistake in a tag of Config: every test fails
	}
	var none T
	if (n < low || n > high) && !(zero && n == none) {
		err = errors.New("out of range")
	}
	return n, err
}

func parseNumber(v string) (float64, error) {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) {
		return 0, errors.New("not a number")
	}
	return f, nil
}

func parseCount(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, errors.New("not a whole number")
	}
	return n, nil
}

func parseSize(v string) (int64, error) {
	n, err := humanize.ParseBytes(v)
	if err != nil || n > math.MaxInt64 {
		return 0, errors.New("not a size")
	}
	return int64(n), nil
}

func parseSwitch(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "on", "true", "yes", "1":
		return true, nil
	case "off", "false", "no", "0":
		return false, nil
	}
	return false, errors.New("neither on nor off")
}

// parseWord also takes the YAML words for on and off, where those are allowed.
func parseWord(v string, allowed []string) (string, error) {
	v = strings.ToLower(v)
	if on, err := parseSwitch(v); err == nil && !slices.Contains(allowed, v) {
		v = map[bool]string{true: "on", false: "off"}[on]
	}
	if !slices.Contains(allowed, v) {
		return "", errors.New("not one of the words")
	}
	return v, nil
}

// units are those that Go's durations do not have.
var units = regexp.MustCompile(`([0-9]*\.?[0-9]+)([dw])`)

// ParseDuration reads Go's durations and the units d (24 h) and w (7 d), also mixed: 180d, 1w2d, 1d12h.
func ParseDuration(v string) (time.Duration, error) {
	plain := units.ReplaceAllStringFunc(v, func(s string) string {
		n, err := strconv.ParseFloat(s[:len(s)-1], 64)
		if err != nil {
			return s
		}
		hours := n * 24
		if s[len(s)-1] == 'w' {
			hours *= 7
		}
		return strconv.FormatFloat(hours, 'f', -1, 64) + "h"
	})
	d, err := time.ParseDuration(plain)
	if err != nil {
		return 0, errors.New("not a duration")
	}
	return d, nil
}

// Shapes of values. A bound inside of them would cost every process 3 ms.
var (
	repoID       = regexp.MustCompile(`^[A-Za-z0-9._:/@-]*$`)
	tag          = regexp.MustCompile(`^[\pL\pN][\pL\pN._/-]*$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// matching accepts a value of a shape, of at most so many characters.
func matching(v string, most int, shape *regexp.Regexp, fault string) (string, error) {
	if utf8.RuneCountInString(v) > most || !shape.MatchString(v) {
		return "", errors.New(fault)
	}
	return v, nil
}

func checkRedis(v string) (err error) {
	if v != "" {
		_, err = ParseRedis(v)
	}
	return err
}

// parseNames reads names of environment variables with commas between them.
func parseNames(v string) (out []string, err error) {
	for name := range strings.SplitSeq(v, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !variableName.MatchString(name) {
			return nil, fmt.Errorf("%q is not a name of a variable", name)
		}
		out = append(out, name)
	}
	return out, nil
}

// parseKinds reads kinds of hints with commas between them.
func parseKinds(v string) (out []string, err error) {
	if v == "none" {
		return nil, nil
	}
	var known []string
	for _, k := range Kinds {
		known = append(known, k.Name)
	}
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			if near := Nearest(name, known); near != "" {
				return nil, fmt.Errorf("no kind %q, did you mean %s?", name, near)
			}
			return nil, fmt.Errorf("no kind %q, there are %s", name, strings.Join(known, ", "))
		}
		out = append(out, name)
	}
	return out, nil
}
