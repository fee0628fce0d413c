package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// found is a value and the place where it was set.
type found struct {
	value  string // in the form that Set accepts
	origin string // what Origin returns
	exact  string // the origin with its line, for messages
}

// layer holds the values of one source by key.
type layer map[string]found

// Load reads the settings. AOA_* variables override the repository's file, which overrides the
// user's file, which overrides the defaults. environ has entries of the form "NAME=value"; the last
// of equal names is used. file may be "". Unknown keys and variables are warnings. A value that is
// not allowed, or a file that is not YAML, is an error with the file, the line, the key and the
// allowed values; the Config then holds the defaults.
func Load(environ []string, file string) (Config, []string, error) {
	values := defaults()
	var warnings []string
	var errs []error
	for _, file := range []string{UserFile(environ), file} {
		if file == "" {
			continue
		}
		_, set, more, err := readFile(file)
		for name, n := range set {
			values[name] = found{n.Value, file, fmt.Sprintf("%s:%d", file, n.Line)}
		}
		warnings, errs = append(warnings, more...), append(errs, err)
	}
	set, more := environment(environ)
	maps.Copy(values, set)
	warnings = append(warnings, more...)
	c, err := Config{}, errors.Join(errs...)
	if err == nil {
		c, err = build(values)
	}
	if err != nil {
		return standard(), warnings, fmt.Errorf("read config: %w", err)
	}
	return c, warnings, nil
}

// standard returns the default settings.
func standard() Config {
	c, err := build(defaults())
	if err != nil {
		panic("config: a default is not allowed: " + err.Error()) // the table has a bad default: every test fails
	}
	return c
}

func defaults() layer {
	out := layer{}
	for _, k := range Keys() {
		if k.Name != anyPattern {
			out[k.Name] = found{k.Default, "default", "default"}
		}
	}
	return out
}

// build parses the values into a Config.
func build(values layer) (Config, error) {
	c := Config{Tags: map[string]string{}, values: values}
	var errs []error
	rows := table(&c)
	for _, name := range sortedKeys(values) {
		v := values[name]
		k, _ := find(rows, &c, name)
		if err := k.parse(v.value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", v.exact, err))
		}
	}
	return c, errors.Join(errs...)
}

// environment reads the variables that begin with AOA_. An empty variable is ignored.
func environment(environ []string) (values layer, warnings []string) {
	values = layer{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "AOA_") || value == "" || strings.HasPrefix(name, "AOA_TEST_") ||
			strings.HasPrefix(name, "AOA_BENCH_") ||
			slices.Contains(Variables, name) {
			continue
		}
		i := slices.IndexFunc(Keys(), func(k Key) bool { return k.Env == name })
		if i < 0 {
			warnings = append(warnings, name+": "+unknownKey(name).Error())
			continue
		}
		values[Keys()[i].Name] = found{value, name, name}
	}
	return values, warnings
}

// Getenv returns the last value of a variable in an environment of NAME=value entries, or "" if it
// is not set.
func Getenv(environ []string, name string) string {
	v, _ := LookupEnv(environ, name)
	return v
}

// Lookup returns a function like os.Getenv that reads from environ.
func Lookup(environ []string) func(name string) string {
	return func(name string) string { return Getenv(environ, name) }
}

// LookupEnv is like Getenv and also reports whether the variable is set. On Windows names are
// compared without case.
func LookupEnv(environ []string, name string) (string, bool) {
	for _, e := range slices.Backward(environ) {
		k, v, ok := strings.Cut(e, "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			return v, true
		}
	}
	return "", false
}

// Program returns the absolute name of a program that is found with a PATH, or "". Relative folders in
// the PATH are ignored, because a repository may contain a program of that name.
func Program(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if file, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) {
			return file
		}
	}
	return ""
}

// Home returns the user's home folder, "" if the environment names none.
func Home(environ []string) string {
	return cmp.Or(Getenv(environ, "HOME"), Getenv(environ, "USERPROFILE"))
}

// UserFile returns the name of the user's settings file: $XDG_CONFIG_HOME/aoa/config.yaml, on
// Windows %AppData%\aoa\config.yaml, otherwise ~/.config/aoa/config.yaml (on macOS too, where
// command line tools keep their settings). It returns "" if the environment names no home folder.
func UserFile(environ []string) string {
	dir := Getenv(environ, "XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) && runtime.GOOS == "windows" {
		dir = Getenv(environ, "AppData")
	}
	if !filepath.IsAbs(dir) {
		home := Home(environ)
		if !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "aoa", "config.yaml")
}
