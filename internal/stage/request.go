package stage

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Request describes one step completely. Equal requests with equal files have equal keys.
type Request struct {
	Stage string `json:"stage"` // name; see Name
	// it is hashed and never stored; if it is empty, Why compares with the newest result
	Command []string `json:"command,omitempty"`
	// the redacted command, as stage list prints it; not part of the key
	Shown  string             `json:"shown,omitempty"`
	Dir    string             `json:"dir,omitempty"` // the folder where it runs, relative to the root
	Inputs map[string]string  `json:"inputs,omitempty"`
	Env    map[string]*string `json:"env,omitempty"` // null means not set
	// Globs and names relative to the root, absolute names, and !globs.
	Deps     []string `json:"deps,omitempty"`
	Outputs  []string `json:"outputs,omitempty"`
	Template string   `json:"template,omitempty"` // absolute name of a file
	Text     string   `json:"text,omitempty"`     // a template that is not in a file
	Tool     Tool     `json:"tool,omitzero"`
	Model    string   `json:"model,omitempty"`
	TTL      int64    `json:"ttl_ms,omitempty"`  // only younger entries are used; 0: any
	Refresh  bool     `json:"refresh,omitempty"` // run in any case, and replace the entry
}

// Tool asks for the version of a tool to be part of the key.
type Tool struct {
	Command string `json:"command"` // prints the version
	// Absolute name of its program. As long as this file is the same, so is the version.
	Path    string `json:"path"`
	Version string `json:"version"` // "" means the remembered one
}

// ErrRequest means that a request can never work. The text of the error tells what to change.
var ErrRequest = errors.New("the stage cannot run")

// Limits of a request.
const (
	maxWords    = 10_000
	maxPatterns = 1_000
	maxInputs   = 1_000
)

// Name matches the allowed names of a stage.
var Name = index.LazyRegexp(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`)

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRequest, fmt.Errorf(format, args...))
}

// check refuses a request that can never work, before anything is read.
func (r *Request) check() error {
	switch {
	case !Name().MatchString(r.Stage):
		return wrong("stage %q: use up to 128 letters, digits and ._:/@+-, beginning with a letter or digit", r.Stage)
	case len(r.Command) == 0 || len(r.Command) > maxWords:
		return wrong("the command has %d words, 1 to %d are allowed", len(r.Command), maxWords)
	case len(r.Deps)+len(r.Outputs) > maxPatterns:
		return wrong("%d patterns, %d are allowed", len(r.Deps)+len(r.Outputs), maxPatterns)
	case len(r.Inputs)+len(r.Env) > maxInputs:
		return wrong("%d inputs, %d are allowed", len(r.Inputs)+len(r.Env), maxInputs)
	case r.TTL < 0:
		return wrong("the ttl of %d ms is negative", r.TTL)
	case r.Template != "" && !filepath.IsAbs(r.Template):
		return wrong("template %s: not an absolute name", r.Template)
	}
	var deps []string
	for _, p := range r.Deps {
		clean, err := cleanPattern(strings.TrimPrefix(p, "!"), true)
		if err != nil {
			return err
		}
		deps = append(deps, clean)
	}
	for _, p := range r.Outputs {
		clean, err := cleanPattern(p, false)
		if err != nil {
			return err
		}
		if !glob(clean) && slices.Contains(deps, clean) {
			return wrong("%s is an output and a dependency: a run would change its own key", p)
		}
	}
	return nil
}

// cleanPattern returns a pattern as a path in the repository. An absolute pattern, if outside
// allows one, stays absolute and is a plain name, because folders outside of the worktree are not
// searched.
func cleanPattern(p string, outside bool) (string, error) {
	abs := filepath.IsAbs(p)
	switch {
	case p == "":
		return "", wrong("an empty pattern")
	case len(p) > event.MaxPath || strings.ContainsRune(p, 0):
		return "", wrong("pattern %.40q is too long, or contains a NUL byte", p)
	case !doublestar.ValidatePattern(p) && glob(p):
		return "", wrong("pattern %s: a bracket or brace is not closed", p)
	case abs && outside:
		return path.Clean(filepath.ToSlash(p)), nil
	}
	// ".." is resolved in the text, so "a/../b" is "b" whatever a is.
	c := path.Clean(p)
	if abs || c == ".." || strings.HasPrefix(c, "../") {
		return "", wrong("pattern %s leaves the repository", p)
	}
	return c, nil
}

// glob reports whether a pattern has a special character.
func glob(p string) bool { return strings.ContainsAny(p, `*?[{\`) }

// covers reports whether a pattern matches a path or one of its folders.
func covers(pattern, p string) bool {
	if pattern == p || pattern == "." || strings.HasPrefix(p, pattern+"/") {
		return true
	}
	return glob(pattern) && doublestar.MatchUnvalidated(pattern, p)
}

func (r *Request) ttl() time.Duration { return time.Duration(r.TTL) * time.Millisecond }
