package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"
)

// flatDelim keeps koanf from splitting keys: a pattern may have any character that people type.
const flatDelim = "\x1f"

// Load reads the settings: AOA_* over the store's config.yaml over the user's over the defaults. environ is the
// environment ("NAME=value", the last of equal names counts), storeDir may be "". Unknown keys and variables
// are warnings. A value that is not allowed, or a file that is no YAML, is an error that names the file, the line, the key and what is
// allowed. The Config then holds the defaults.
func Load(environ []string, storeDir string) (Config, []Warning, error) {
	l := &loader{merged: koanf.New(flatDelim), where: map[string]place{}}
	for _, k := range keys {
		if k.parse != nil {
			l.add(layer{k.Name: {k.Default, place{"default", "default"}}})
		}
	}
	for _, file := range []string{UserFile(environ), StoreFile(storeDir)} {
		if file != "" {
			l.file(file)
		}
	}
	l.environment(environ)
	if err := errors.Join(l.errs...); err != nil {
		return Default(), l.warnings, err
	}
	c := empty()
	for _, name := range l.merged.Keys() {
		v := l.merged.String(name)
		if err := l.apply(&c, name, v); err != nil {
			l.errs = append(l.errs, fmt.Errorf("read config: %s: %w", l.where[name].exact, badValue(name, v, err)))
		}
	}
	c.values["tags"], c.origin["tags"] = tagList(c.Tags), "tags.*"
	if err := errors.Join(l.errs...); err != nil {
		return Default(), l.warnings, err
	}
	return c, l.warnings, nil
}

// apply parses one value into the config. It skips half-lives that nobody has set.
func (l *loader) apply(c *Config, name, v string) error {
	k, _ := lookup(name)
	c.values[name], c.origin[name] = v, l.where[name].origin
	if strings.HasPrefix(name, halfLifePrefix) && l.where[name].origin == "default" {
		return nil
	}
	return k.parse(c, v)
}

func empty() Config {
	return Config{Kinds: map[string]bool{}, Schedules: map[string]string{}, Tags: map[string]string{}, HalfLives: map[string]time.Duration{},
		values: map[string]string{}, origin: map[string]string{}}
}

// Default returns the settings of a machine that has none.
func Default() Config {
	c := empty()
	for _, k := range keys {
		if k.parse == nil {
			continue
		}
		c.values[k.Name], c.origin[k.Name] = k.Default, "default"
		if !strings.HasPrefix(k.Name, halfLifePrefix) {
			if err := k.parse(&c, k.Default); err != nil {
				panic("config: default of " + k.Name + ": " + err.Error()) // a mistake in keys: every test fails
			}
		}
	}
	c.origin["tags"] = "tags.*"
	return c
}

// badValue returns the error for a value that a key does not allow. Values that may be secret are not repeated.
func badValue(name, value string, err error) error {
	k, _ := lookup(name)
	if k.Type == "url" {
		value = "…"
	}
	return fmt.Errorf("%s: %q: %w: allowed is %s", name, value, err, k.Allowed)
}

func tagList(tags map[string]string) string {
	var out []string
	for p, t := range tags {
		out = append(out, p+"="+t)
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// place says where a value comes from: for Origin, and with its line for messages.
type place struct{ origin, exact string }

// found is a value with its place.
type found struct {
	value string
	place
}

// layer holds what one source sets: flat key → value. It is a provider for koanf.
type layer map[string]found

// ReadBytes always fails: a layer has no bytes.
func (layer) ReadBytes() ([]byte, error) { return nil, errors.New("a layer has no bytes") }

// Read returns the values.
func (l layer) Read() (map[string]any, error) {
	out := make(map[string]any, len(l))
	for k, v := range l {
		out[k] = v.value
	}
	return out, nil
}

// loader holds the state of one Load.
type loader struct {
	merged   *koanf.Koanf
	where    map[string]place
	warnings []Warning
	errs     []error
}

// add merges a layer over those before.
func (l *loader) add(values layer) {
	if err := l.merged.Load(values, nil); err != nil {
		l.errs = append(l.errs, fmt.Errorf("read config: %w", err))
	}
	for k, v := range values {
		l.where[k] = v.place
	}
}

// maxFile is the largest settings file that is read, in bytes.
const maxFile = 1 << 20

func (l *loader) file(name string) {
	text, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		var values layer
		var warnings []Warning
		values, warnings, err = parseFile(name, text)
		l.warnings = append(l.warnings, warnings...)
		l.add(values)
	}
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("read config: %w", err))
	}
}

func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s: not a file of at most 1 MB: remove it, or put a YAML file there", name)
	}
	return os.ReadFile(name)
}

// environment adds the variables with the prefix AOA_. An empty variable counts as not set.
func (l *loader) environment(environ []string) {
	values := layer{}
	known := map[string]string{}
	for _, k := range keys {
		known[envName(k.Name)] = k.Name
	}
	p := env.Provider("", env.Opt{Prefix: "AOA_", EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			key, ok := known[name]
			switch _, other := Variables[name]; {
			case value == "" || other || strings.HasPrefix(name, "AOA_TEST_") || strings.HasPrefix(name, "AOA_BENCH_"):
			case !ok:
				l.warnings = append(l.warnings, Warning{name, unknownKey(name).Error()})
			case name == "AOA_TAGS":
				l.tags(values, value)
			default:
				values[key] = found{value, place{name, name}}
			}
			return "", nil
		}})
	if _, err := p.Read(); err != nil {
		l.errs = append(l.errs, fmt.Errorf("read config: %w", err))
	}
	l.add(values)
}

// tags reads AOA_TAGS: pattern=tag,pattern=tag.
func (l *loader) tags(values layer, list string) {
	for pair := range strings.SplitSeq(list, ",") {
		pattern, tag, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			l.errs = append(l.errs, fmt.Errorf("read config: AOA_TAGS: %q: allowed is pattern=tag,pattern=tag", pair))
			continue
		}
		values[tagsPrefix+pattern] = found{tag, place{"AOA_TAGS", "AOA_TAGS"}}
	}
}

// StoreFile returns the settings file of a repository, "" if there is no store.
func StoreFile(storeDir string) string {
	if storeDir == "" {
		return ""
	}
	return filepath.Join(storeDir, "config.yaml")
}

// UserFile returns the user's settings file: $XDG_CONFIG_HOME/aoa/config.yaml, on Windows %AppData%\aoa\config.yaml,
// else ~/.config/aoa/config.yaml (on macOS too, where command line tools keep theirs). "" if the environment
// names no home.
func UserFile(environ []string) string {
	if dir := Getenv(environ, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "aoa", "config.yaml")
	}
	if dir := Getenv(environ, "AppData"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "aoa", "config.yaml")
	}
	home := Getenv(environ, "HOME")
	if runtime.GOOS == "windows" && home == "" {
		home = Getenv(environ, "USERPROFILE")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "aoa", "config.yaml")
}
