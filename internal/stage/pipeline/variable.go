package pipeline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Ref is one variable in a text.
type Ref struct {
	Kind string   // STAGE, CONTEXT, ARG, ENV, or "" for a name without a kind
	Name string   // of the stage, argument, …
	Path []string // path into the output of a stage or a value of the context
	Text string   // as it is written

	start, end int
}

// variable matches a variable. Stage names may contain dashes: $STAGE_a-b is stage a-b. Write
// ${STAGE_a}-b for stage a followed by "-b".
const variable = `(?:STAGE_([A-Za-z][A-Za-z0-9_-]*)|(CONTEXT|ARG|ENV)_([A-Za-z0-9_]+))((?:\.[A-Za-z0-9_-]+|\[[0-9]+\])*)`

var (
	bare   = regexp.MustCompile(`^\$` + variable)
	braced = regexp.MustCompile(`^\$\{` + variable + `\}`)
	whole  = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)$`)
)

// Refs returns the variables in a text that name their kind.
func Refs(text string) (out []Ref) {
	for i := 0; i < len(text); {
		at := strings.IndexByte(text[i:], '$')
		if at < 0 {
			break
		}
		i += at
		if strings.HasPrefix(text[i:], "$$") {
			i += 2
			continue
		}
		m := bare.FindStringSubmatch(text[i:])
		if m == nil {
			m = braced.FindStringSubmatch(text[i:])
		}
		if m == nil {
			i++
			continue
		}
		r := Ref{Kind: "STAGE", Name: m[1], Text: m[0], start: i, end: i + len(m[0])}
		if m[2] != "" {
			r.Kind, r.Name = m[2], m[3]
		}
		r.Path = steps(m[4])
		if r.Kind == "ENV" || r.Kind == "ARG" { // these are texts, so a dot after them is an ordinary dot
			r.end -= len(m[4])
			if strings.HasPrefix(m[0], "${") {
				r.end = i + len(m[0])
			} else {
				r.Text = text[i:r.end]
			}
			r.Path = nil
		}
		out = append(out, r)
		i = r.end
	}
	return out
}

// steps splits ".a.b[0].1".
func steps(path string) []string {
	path = strings.ReplaceAll(strings.ReplaceAll(path, "[", "."), "]", "")
	if path == "" {
		return nil
	}
	return strings.Split(path[1:], ".")
}

// refsOf returns the variables in a value, at any depth. A text that is nothing but a name counts,
// too.
func refsOf(v any) (out []Ref) {
	switch v := v.(type) {
	case string:
		if out = Refs(v); len(out) == 0 {
			if m := whole.FindStringSubmatch(v); m != nil {
				out = []Ref{{Name: m[1], Text: v, end: len(v)}}
			}
		}
	case []any:
		for _, e := range v {
			out = append(out, refsOf(e)...)
		}
	case map[string]any:
		for _, k := range keysOf(v) { // in a fixed order, so that the same one of two errors is always reported
			out = append(out, refsOf(v[k])...)
		}
	}
	return out
}

// refs returns the variables in everything that a stage resolves.
func (s *Stage) refs() []Ref {
	out := refsOf(map[string]any(s.Inputs))
	for _, w := range s.Run.Words {
		out = append(out, Refs(w)...)
	}
	for _, f := range append(append([]string{s.Template}, s.Cache.Files...), s.Makes...) {
		out = append(out, Refs(f)...)
	}
	return append(out, Refs(s.Text)...)
}

// ArgNames lists the arguments that a pipeline declares or refers to.
func (p *Pipeline) ArgNames() []string {
	out := p.Named(func(r Ref) bool { return r.Kind == "ARG" || r.Kind == "" })
	for name := range p.Args {
		out[name] = true
	}
	return keysOf(out)
}

// Named returns the names of those variables in a pipeline for which wanted is true.
func (p *Pipeline) Named(wanted func(Ref) bool) map[string]bool {
	out := map[string]bool{}
	for i := range p.Stages {
		for _, r := range p.Stages[i].refs() {
			if wanted(r) {
				out[r.Name] = true
			}
		}
	}
	return out
}

// Known checks everything that can be known before anything runs: arguments, context, environment,
// and the names of stages.
func (p *Pipeline) Known(s *Scope) error {
	own, sets := p.Names(), map[string]bool{}
	for i := range p.Stages {
		for name := range p.Stages[i].Sets {
			sets[name] = true
		}
	}
	for i := range p.Stages {
		st := &p.Stages[i]
		for _, r := range st.refs() {
			if r.Kind == "STAGE" && p.index(r.Name) >= 0 || r.Kind == "CONTEXT" && sets[r.Name] || r.Kind == "" {
				continue
			}
			if r.Kind == "STAGE" {
				if _, ok := s.Stages[r.Name]; ok {
					continue
				}
				return fmt.Errorf("stage %s: %w", st.Name,
					unknown(r, "no stage is called that, in this pipeline or earlier in the session%s",
						didYouMean(r.Name, append(keysOf(s.Stages), own...), "$STAGE_%s")))
			}
			if _, err := s.Lookup(r); err != nil {
				return fmt.Errorf("stage %s: %w", st.Name, err)
			}
		}
	}
	return nil
}

// ID returns the name of the stage in the cache: its prompt, which several pipelines may share, or
// its own name.
func (s *Stage) ID(pipeline string) string {
	if s.Prompt != "" {
		return s.Prompt
	}
	return pipeline + "/" + s.Name
}

var notName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// OutputNames returns the names by which a stage's output can be read: its own name, which a stage
// of a later pipeline may take over, and, if it has a prompt, stage_prompt, which stays separate.
func OutputNames(stage, prompt string) []string {
	if prompt == "" {
		return []string{stage}
	}
	return []string{stage, stage + "_" + notName.ReplaceAllString(prompt, "_")}
}

// index returns the index of the stage whose output has a name, -1 if this pipeline has none.
func (p *Pipeline) index(name string) int {
	if i := slices.IndexFunc(p.Stages, func(s Stage) bool { return s.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(p.Stages, func(s Stage) bool { return slices.Contains(OutputNames(s.Name, s.Prompt), name) })
}
