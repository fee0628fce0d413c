package stage

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
)

// Request describes one step completely: equal requests and equal files have equal keys.
type Request struct {
	Stage    string             `json:"stage"`             // name; see Name
	Command  []string           `json:"command,omitempty"` // digested, never stored; none: Why compares the newest entry
	Shown    string             `json:"shown,omitempty"`   // the command, redacted, as stage list prints it; not in the key
	Dir      string             `json:"dir,omitempty"`     // folder it runs in, relative to the root
	Inputs   map[string]string  `json:"inputs,omitempty"`
	Env      map[string]*string `json:"env,omitempty"`  // null: not set
	Deps     []string           `json:"deps,omitempty"` // globs and names relative to the root, absolute names, !globs
	Outputs  []string           `json:"outputs,omitempty"`
	Template string             `json:"template,omitempty"` // absolute name of a file
	Text     string             `json:"text,omitempty"`     // of a template without a file
	Tool     Tool               `json:"tool,omitzero"`
	Model    string             `json:"model,omitempty"`
	TTL      int64              `json:"ttl_ms,omitempty"`  // an entry counts while it is younger; 0: always
	Refresh  bool               `json:"refresh,omitempty"` // no entry counts: run, and replace it
}

// Tool asks for a tool's version to be part of the key.
type Tool struct {
	Command string `json:"command"` // that prints the version
	Path    string `json:"path"`    // absolute, of its program: as long as that is the same, so is the version
	Version string `json:"version"` // "": the one that is remembered
}

// ErrRequest is wrapped when a request can never work; the text is what to change.
var ErrRequest = errors.New("the stage cannot run")

// Bounds of a request.
const (
	maxWords    = 10_000
	maxPatterns = 1_000
	maxInputs   = 1_000
)

// Name matches the allowed names of a stage.
var Name = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`)
})

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRequest, fmt.Errorf(format, args...))
}

// check refuses what can never work, before anything is read.
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

// cleanPattern brings a pattern into the form of a path of the repository. An absolute one stays
// absolute, if it may be one, and is then a name: folders outside the worktree are not searched.
func cleanPattern(p string, outside bool) (string, error) {
	abs := filepath.IsAbs(p)
	switch {
	case p == "":
		return "", wrong("an empty pattern")
	case len(p) > event.MaxPath || strings.ContainsRune(p, 0):
		return "", wrong("pattern %.40q is no name of a file", p)
	case !doublestar.ValidatePattern(p) && glob(p):
		return "", wrong("pattern %s: a bracket or brace is not closed", p)
	case abs && outside:
		return path.Clean(filepath.ToSlash(p)), nil
	}
	// ".." is resolved in the text: "a/../b" is "b" whatever a is.
	c := path.Clean(p)
	if abs || c == ".." || strings.HasPrefix(c, "../") {
		return "", wrong("pattern %s leaves the repository", p)
	}
	return c, nil
}

// glob reports whether a pattern has a character that means more than itself.
func glob(p string) bool { return strings.ContainsAny(p, `*?[{\`) }

// covers reports whether a pattern matches a path or one of its folders.
func covers(pattern, p string) bool {
	if pattern == p || pattern == "." || strings.HasPrefix(p, pattern+"/") {
		return true
	}
	return glob(pattern) && doublestar.MatchUnvalidated(pattern, p)
}

func (r *Request) ttl() time.Duration { return time.Duration(r.TTL) * time.Millisecond }
