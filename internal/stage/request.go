package stage

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
)

// Request describes one step completely: equal requests and equal files have equal keys.
type Request struct {
	Stage    string             // name; see Name
	Command  []string           // the words of the command; digested, never stored
	Shown    string             // the command as aoa stage show prints it, redacted; not in the key
	Dir      string             // folder it runs in, relative to the root, "" is the root
	Inputs   map[string]string  // declared k=v
	Env      map[string]*string // declared variables; nil: not set
	Deps     []string           // globs or names, relative to the root or absolute; "!glob" excludes files
	Outputs  []string           // globs or names of files that the step makes, relative to the root
	Stdin    *string            // hex digest of the standard input, if it is an input
	Template string             // absolute name of a file, "" is none
	Text     string             // a template's text where there is no file, "" is none
	Tool     string             // the version that the tool prints
	Model    string
	TTL      time.Duration // an entry counts while it is younger; 0: always
	Failures bool          // an entry of a run that failed counts too
	Refresh  bool          // no entry counts: run, and replace it
	Call     string        // id of the call that asks: one that arrives twice counts once; not in the key
}

// ErrRequest is wrapped when a request can never work; the text is what to change.
var ErrRequest = errors.New("the request is wrong")

// Bounds of a request.
const (
	maxWords    = 10_000
	maxPatterns = 1_000
	maxInputs   = 1_000
)

// Name is what a stage may be called.
var Name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`)

// Check refuses what can never work, before anything is read.
func (r *Request) Check() error {
	switch {
	case !Name.MatchString(r.Stage):
		return fmt.Errorf("%w: stage %q: use up to 128 letters, digits and ._:/@+-, beginning with a letter or digit",
			ErrRequest, r.Stage)
	case len(r.Command) == 0 || len(r.Command) > maxWords:
		return fmt.Errorf("%w: the command has %d words, 1 to %d are allowed", ErrRequest, len(r.Command), maxWords)
	case len(r.Deps)+len(r.Outputs) > maxPatterns:
		return fmt.Errorf("%w: %d patterns, %d are allowed", ErrRequest, len(r.Deps)+len(r.Outputs), maxPatterns)
	case len(r.Inputs)+len(r.Env) > maxInputs:
		return fmt.Errorf("%w: %d inputs, %d are allowed", ErrRequest, len(r.Inputs)+len(r.Env), maxInputs)
	case r.TTL < 0:
		return fmt.Errorf("%w: the ttl %s is negative", ErrRequest, r.TTL)
	case r.Template != "" && !filepath.IsAbs(r.Template):
		return fmt.Errorf("%w: template %s: not an absolute name", ErrRequest, r.Template)
	}
	for _, p := range r.Deps {
		if _, err := cleanPattern(strings.TrimPrefix(p, "!"), true); err != nil {
			return err
		}
	}
	for _, p := range r.Outputs {
		q, err := cleanPattern(p, false)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(r.Deps, func(d string) bool {
			d, err := cleanPattern(d, true)
			return err == nil && d == q &&
				!glob(q)
		}) {
			return fmt.Errorf("%w: %s is an output and a dependency: a run would change its own key", ErrRequest, p)
		}
	}
	return nil
}

// cleanPattern brings a pattern into the form of a path of the repository. An absolute one stays absolute, if it may be
// one, and is then a name: folders outside the worktree are not searched.
func cleanPattern(p string, outside bool) (string, error) {
	abs := filepath.IsAbs(p)
	switch {
	case p == "":
		return "", fmt.Errorf("%w: an empty pattern", ErrRequest)
	case len(p) > event.MaxPath || strings.ContainsRune(p, 0):
		return "", fmt.Errorf("%w: pattern %.40q is no name of a file", ErrRequest, p)
	case !doublestar.ValidatePattern(p) && glob(p):
		return "", fmt.Errorf("%w: pattern %s: a bracket or brace is not closed", ErrRequest, p)
	case abs && outside:
		return path.Clean(filepath.ToSlash(p)), nil
	}
	// ".." is resolved in the text: "a/../b" is "b" whatever a is.
	c := path.Clean(p)
	if abs || c == ".." || strings.HasPrefix(c, "../") {
		return "", fmt.Errorf("%w: pattern %s leaves the repository", ErrRequest, p)
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
