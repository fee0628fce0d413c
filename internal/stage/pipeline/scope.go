package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Scope has the values of variables. Values have the types into which JSON decodes.
type Scope struct {
	Stages  map[string]any    // what stages printed, in this run and earlier in the session
	Text    map[string]bool   // stages whose output is not JSON
	Order   []string          // the stages in which a name without a kind is looked up, in order
	Context map[string]any    // the context of the session
	Args    map[string]string // by name and by position
	Env     map[string]string // the allowed variables that are set
	Allowed []string          // the variables that may be read
}

// ErrVariable means that a variable has no value.
var ErrVariable = errors.New("unknown variable")

func unknown(r Ref, format string, args ...any) error {
	return fmt.Errorf("%w %s: %s", ErrVariable, r.Text, fmt.Sprintf(format, args...))
}

// Lookup returns the value of one variable.
func (s *Scope) Lookup(r Ref) (any, error) {
	switch r.Kind {
	case "STAGE":
		v, ok := s.Stages[r.Name]
		if !ok {
			return nil, unknown(r, "no stage of that name has run%s", didYouMean(r.Name, keysOf(s.Stages), "$STAGE_%s"))
		}
		if len(r.Path) > 0 && s.Text[r.Name] {
			return nil, unknown(r, "the stage %s prints text; give it \"output: json\" to reach into it", r.Name)
		}
		return walk(r, v)
	case "CONTEXT":
		v, ok := s.Context[r.Name]
		if !ok {
			return nil, unknown(r, "the session has no context of that name%s; aoa pipeline run --context NAME=VALUE sets one",
				didYouMean(r.Name, keysOf(s.Context), "$CONTEXT_%s"))
		}
		return walk(r, v)
	case "ARG":
		v, ok := s.Args[r.Name]
		if !ok {
			return nil, unknown(r, "that argument was not given%s", didYouMean(r.Name, keysOf(s.Args), "$ARG_%s"))
		}
		return v, nil
	case "ENV":
		if !slices.Contains(s.Allowed, r.Name) {
			return nil, unknown(r, "pipelines may not read it%s, only %s; to allow it: aoa config pipeline.env %s",
				didYouMean(r.Name, s.Allowed, "$ENV_%s"), strings.Join(s.Allowed, ", "),
				strings.Join(append(slices.Clone(s.Allowed), r.Name), ","))
		}
		v, ok := s.Env[r.Name]
		if !ok {
			return nil, unknown(r, "the variable is allowed, but not set")
		}
		return v, nil
	}
	return s.anywhere(r)
}

// anywhere looks up a name without a kind: in the newest outputs, then the context, the arguments
// and the environment.
func (s *Scope) anywhere(r Ref) (any, error) {
	for _, stage := range s.Order {
		if fields, ok := s.Stages[stage].(map[string]any); ok {
			if v, ok := fields[r.Name]; ok {
				return v, nil
			}
		}
	}
	if v, ok := s.Context[r.Name]; ok {
		return v, nil
	}
	if v, ok := s.Args[r.Name]; ok {
		return v, nil
	}
	if v, ok := s.Env[r.Name]; ok && slices.Contains(s.Allowed, r.Name) {
		return v, nil
	}
	known := slices.Concat(keysOf(s.Context), keysOf(s.Args), s.Allowed)
	return nil, unknown(r, "no stage, context, argument or allowed variable has it%s; $$ is a dollar",
		didYouMean(r.Name, known, "$%s"))
}

func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// walk follows a path into a value.
func walk(r Ref, v any) (any, error) {
	for i, step := range r.Path {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return nil, unknown(r, "%s has no field %q%s", where(r, i), step, didYouMean(step, keysOf(at), "%q"))
			}
			v = next
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(at) {
				return nil, unknown(r, "%s is a list of %d, %q is not an index of it", where(r, i), len(at), step)
			}
			v = at[n]
		case nil:
			return nil, nil // an optional stage that failed has no output
		default:
			return nil, unknown(r, "%s is neither an object nor a list", where(r, i))
		}
	}
	return v, nil
}

func where(r Ref, n int) string {
	if n == 0 {
		return "the value"
	}
	return strings.Join(r.Path[:n], ".")
}

// Expand resolves the variables of a text.
func (s *Scope) Expand(text string) (string, error) {
	var b strings.Builder
	last := 0
	for _, r := range Refs(text) {
		v, err := s.Lookup(r)
		if err != nil {
			return "", err
		}
		b.WriteString(dollars(text[last:r.start]))
		b.WriteString(Text(v))
		last = r.end
	}
	b.WriteString(dollars(text[last:]))
	return b.String(), nil
}

var doubled = regexp.MustCompile(`\$\$([A-Za-z_{])`)

// dollars replaces $$ by $ where a variable could begin.
func dollars(s string) string { return doubled.ReplaceAllString(s, "$$$1") }

// Value resolves the variables in a value of a definition. If a text is exactly one variable, the
// result has the type of that variable.
func (s *Scope) Value(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if refs := refsOf(v); len(refs) == 1 && refs[0].Text == v {
			return s.Lookup(refs[0])
		}
		return s.Expand(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var err error
			if out[i], err = s.Value(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range keysOf(v) {
			var err error
			if out[k], err = s.Value(v[k]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// Text returns a value as text: a text unchanged, nothing for null, everything else as JSON.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // YAML has numbers that JSON lacks: .nan, .inf
	}
	return string(b)
}

// Pick returns the part of an output that a path names; "." is all of it.
func Pick(v any, path string) (any, error) {
	if path == "." || path == "" {
		return v, nil
	}
	return walk(Ref{Path: steps("." + strings.TrimPrefix(path, ".")), Text: path}, v)
}
