package config

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Each parser reads one type of value. Its error says what is wrong; the key says what is allowed.

const day = 24 * time.Hour

// presets are the words for a threshold.
var presets = map[string]float64{"conservative": 0.80, "balanced": 0.60, "aggressive": 0.40}

func parseThreshold(v string) (float64, error) {
	if t, ok := presets[strings.ToLower(v)]; ok {
		return t, nil
	}
	return parseShare(v, 0.40, 0.90)
}

func parseShare(v string, least, most float64) (float64, error) {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) {
		return 0, errors.New("not a number")
	}
	if f < least || f > most {
		return 0, errors.New("out of range")
	}
	return f, nil
}

func parseCount(v string, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, errors.New("not a whole number")
	}
	if n < 0 || n > most {
		return 0, errors.New("out of range")
	}
	return n, nil
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
func parseWord(v string, allowed ...string) (string, error) {
	v = strings.ToLower(v)
	if !slices.Contains(allowed, v) {
		if on, err := parseSwitch(v); err == nil {
			v = map[bool]string{true: "on", false: "off"}[on]
		}
	}
	if !slices.Contains(allowed, v) {
		return "", errors.New("not one of the words")
	}
	return v, nil
}

// Longest names, in characters. They are not in the patterns: a class of letters repeated 64 times takes 5 ms to compile at the start
// of every command.
const (
	maxID  = 128
	maxTag = 64
)

var (
	idPattern  = regexp.MustCompile(`^[A-Za-z0-9._:/@-]+$`)
	tagPattern = regexp.MustCompile(`^[\pL\pN][\pL\pN._/-]*$`)
	units      = regexp.MustCompile(`([0-9]*\.?[0-9]+)([dw])`)
	sizes      = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)$`)
)

func parseID(v string) (string, error) {
	if v != "" && (len(v) > maxID || !idPattern.MatchString(v)) {
		return "", errors.New("not a name")
	}
	return v, nil
}

func parseTag(v string) (string, error) {
	v = strings.TrimPrefix(v, "#")
	if utf8.RuneCountInString(v) > maxTag || !tagPattern.MatchString(v) {
		return "", errors.New("not a tag")
	}
	return v, nil
}

func parseRedis(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	_, err := ParseRedis(v)
	return v, err
}

func parseAddr(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	_, port, err := net.SplitHostPort(v)
	if n, numErr := strconv.ParseUint(port, 10, 16); err != nil || numErr != nil || n == 0 {
		return "", errors.New("not an address")
	}
	return v, nil
}

func parseTime(v string) (time.Time, error) {
	if v == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, v)
	if err != nil {
		return time.Time{}, errors.New("not a time")
	}
	return t, nil
}

func parseLevel(v string) (slog.Level, error) {
	var l slog.Level
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, strings.ToLower(v)) {
		return l, errors.New("not a level")
	}
	err := l.UnmarshalText([]byte(v))
	return l, err
}

// parseDuration reads Go's durations and the units d (24 h) and w, also mixed: 180d, 1w2d, 1d12h.
func parseDuration(v string, zero bool, least, most time.Duration) (time.Duration, error) {
	if zero && v == "0" {
		return 0, nil
	}
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
	if (d < least || d > most) && !(zero && d == 0) {
		return 0, errors.New("out of range")
	}
	return d, nil
}

// duration makes the parser of a duration in a field of Config.
func duration(field func(c *Config) *time.Duration, zero bool, least, most time.Duration) func(*Config, string) error {
	return func(c *Config, v string) (err error) {
		*field(c), err = parseDuration(v, zero, least, most)
		return err
	}
}

// scale is the number of bytes of a unit of size.
var scale = map[string]float64{"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}

func parseSize(v string, least, most float64) (int64, error) {
	m := sizes.FindStringSubmatch(v)
	if m == nil {
		return 0, errors.New("not a size")
	}
	n, err := strconv.ParseFloat(m[1], 64)
	unit, ok := scale[strings.ToLower(m[2])]
	if err != nil || !ok {
		return 0, fmt.Errorf("%q is no unit of size", m[2])
	}
	if n *= unit; n < least || n > most {
		return 0, errors.New("out of range")
	}
	return int64(n), nil
}
