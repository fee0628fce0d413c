package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/internal/config"
)

// Pipeline is one file of stages.
type Pipeline struct {
	Name        string `yaml:"name" json:"name"`
	Description string `yaml:"description" json:"description,omitempty"`
	// name → default; null means that the argument must be given
	Args   map[string]*string `yaml:"args" json:"args,omitempty"`
	Run    Command            `yaml:"run" json:"run,omitzero"` // for stages without a command of their own
	Stages []Stage            `yaml:"stages" json:"stages"`
}

// Stage is one step.
type Stage struct {
	Name  string `yaml:"stage" json:"stage"`
	Agent string `yaml:"agent" json:"agent,omitempty"` // name of a definition whose text precedes the prompt
	// Prompt is the name of a command's definition, whose text is the standard input.
	Prompt   string  `yaml:"prompt" json:"prompt,omitempty"`
	Template string  `yaml:"template" json:"template,omitempty"` // or a file of the repository
	Run      Command `yaml:"run" json:"run,omitzero"`
	Output   string  `yaml:"output" json:"output,omitempty"` // text (default) or json
	// Required is true by default: if the stage fails, the pipeline fails.
	Required *bool `yaml:"required" json:"required,omitempty"`
	// Needs lists stages to wait for, in addition to those named in variables.
	Needs  []string       `yaml:"needs" json:"needs,omitempty"`
	Inputs map[string]any `yaml:"inputs" json:"inputs,omitempty"`
	Cache  Cache          `yaml:"cache" json:"cache,omitzero"`
	// Makes lists files that it writes. They are stored and restored together with the output.
	Makes []string `yaml:"makes" json:"makes,omitempty"`
	Model string   `yaml:"model" json:"model,omitempty"`
	Tool  string   `yaml:"tool" json:"tool,omitempty"` // a command that prints a version
	// name of a context value → path in the output; "." is all of it
	Sets map[string]string `yaml:"sets" json:"sets,omitempty"`
	// its standard input: the texts of the agent, the prompt and the template
	Text string `yaml:"-" json:"text,omitempty"`
}

// Cache tells whether, and for how long, a stage's result is stored.
type Cache struct {
	Enabled bool     `yaml:"enabled" json:"enabled"`
	TTL     *int64   `yaml:"ttl_ms" json:"ttl_ms,omitempty"` // default: an hour; 0: forever
	Files   []string `yaml:"file_dependencies" json:"file_dependencies,omitempty"`
	Env     []string `yaml:"env" json:"env,omitempty"`
}

// Command is the command of a stage: a list of words, or one line for the shell.
type Command struct {
	Words []string `json:"words,omitempty"`
	Shell string   `json:"shell,omitempty"`
}

// None reports whether there is no command.
func (c Command) None() bool { return len(c.Words) == 0 && c.Shell == "" }

// Must reports whether the pipeline fails if the stage fails.
func (s *Stage) Must() bool { return s.Required == nil || *s.Required }

// DefaultTTL is the greatest age, in ms, of a result that is used if the stage has no ttl_ms.
const DefaultTTL = 3_600_000

// ErrDefinition means that a definition is missing or wrong. The text of the error has the file,
// and the line or the stage.
var ErrDefinition = errors.New("cannot use the definition")

// Limits of a definition.
const (
	maxFile   = 1 << 20
	maxStages = 200
)

// UnmarshalYAML accepts a list of words or one line.
func (c *Command) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		c.Shell = strings.TrimSpace(n.Value)
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("line %d: run is a list of words, or one line for the shell", n.Line)
	}
	return n.Decode(&c.Words)
}

// didYouMean returns "; did you mean …?" with the most similar known name, "" if none is similar.
func didYouMean(name string, known []string, format string) string {
	if near := config.Nearest(name, slices.Sorted(slices.Values(known))); near != "" {
		return "; did you mean " + fmt.Sprintf(format, near) + "?"
	}
	return ""
}

// Decode parses a pipeline and checks it. file is its name in errors.
func Decode(file string, data []byte) (*Pipeline, error) {
	p := &Pipeline{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err := dec.Decode(p)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: %s: it is empty; a pipeline has at least \"stages:\"", ErrDefinition, file)
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %s", ErrDefinition, file, words(err))
	}
	if p.Name == "" {
		p.Name = strings.TrimSuffix(path.Base(filepath.ToSlash(file)), path.Ext(file))
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDefinition, file, err)
	}
	return p, nil
}

var typeName = regexp.MustCompile(` in type pipeline\.\w+| into (\S+)`)

// words returns a decoder's error without names of Go types.
func words(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n  ")
	text = typeName.ReplaceAllString(text, "")
	return strings.ReplaceAll(text, "\n  ", "; ")
}

var (
	stageName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	})
	inputName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	}) // and of a value of the context
)

func (p *Pipeline) check() error {
	if len(p.Stages) == 0 || len(p.Stages) > maxStages {
		return fmt.Errorf("%d stages, 1 to %d are allowed", len(p.Stages), maxStages)
	}
	names := p.Names()
	for i := range p.Stages {
		s := &p.Stages[i]
		if slices.Index(names, s.Name) != i {
			return fmt.Errorf("two stages are called %q", s.Name)
		}
		if s.Run.None() {
			s.Run = p.Run
		}
		if err := s.check(names); err != nil {
			return fmt.Errorf("stage %s: %w", s.Name, err)
		}
	}
	return nil
}

func (s *Stage) check(names []string) error {
	switch {
	case !stageName().MatchString(s.Name):
		return fmt.Errorf("the name %q: use up to 64 letters, digits, _ and -, beginning with a letter", s.Name)
	case s.Run.None():
		return errors.New(`nothing to run; give it "run: [COMMAND, ARG]", or the pipeline one for all its stages`)
	case s.Output != "" && s.Output != "text" && s.Output != "json":
		return fmt.Errorf("output %q: use text or json", s.Output)
	case s.Prompt != "" && s.Template != "":
		return errors.New("prompt and template would both be the standard input: leave one out")
	case s.Cache.TTL != nil && *s.Cache.TTL < 0:
		return fmt.Errorf("ttl_ms %d is negative", *s.Cache.TTL)
	}
	if s.Run.Shell != "" {
		if refs := Refs(s.Run.Shell); len(refs) > 0 {
			return fmt.Errorf("the shell could execute what %s holds: list it under inputs and write \"$INPUT_name\" in the "+
				"line, or make run a list of words", refs[0].Text)
		}
	}
	for _, n := range s.Needs {
		if !slices.Contains(names, n) {
			return fmt.Errorf("needs %q, which is not a stage%s", n, didYouMean(n, names, "%q"))
		}
	}
	for name := range s.Inputs {
		if !inputName().MatchString(name) {
			return fmt.Errorf("the input %q: use letters, digits and _", name)
		}
	}
	for name := range s.Sets {
		if !inputName().MatchString(name) {
			return fmt.Errorf("sets %q: use letters, digits and _", name)
		}
	}
	return nil
}

// Names lists the stages in the order of the file.
func (p *Pipeline) Names() []string {
	out := make([]string, len(p.Stages))
	for i, s := range p.Stages {
		out[i] = s.Name
	}
	return out
}
