package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// PipelineOptions tell which pipeline to run, and with what.
type PipelineOptions struct {
	Client     *api.Client // nil runs without the cache and without a session
	Answer     api.PipelineAnswer
	Session    string // the session whose outputs and context it reads and writes; may be empty
	Root       string // the root of the worktree, in which stages run
	Env        []string
	Positional []string          // arguments by position
	Args       map[string]string // arguments by name
	Context    map[string]string // values for the context of the session; {…} and […] are parsed as JSON
	Refresh    bool              // run every stage
	Now        func() time.Time
}

// PipelineTotal sums up the stages that have ended.
type PipelineTotal struct {
	Ended  int
	Tokens int64
}

// StageReport is the result of a stage.
type StageReport struct {
	Stage    string `json:"stage"`
	State    string `json:"state"` // unchanged, ran, resumed, failed or skipped
	Key      string `json:"key,omitempty"`
	Exit     int    `json:"exit"`
	Duration int64  `json:"duration_ms"`
	Saved    int64  `json:"saved_ms,omitempty"`
	Why      string `json:"why,omitempty"` // why it ran, failed or was not stored
	Optional bool   `json:"-"`             // if it fails the pipeline goes on
	Stderr   []byte `json:"-"`             // for a stage that failed
}

// ContextUse tells how many of the session's values the pipeline uses.
type ContextUse struct {
	Values int   `json:"values"`
	Of     int   `json:"of"`
	Tokens int64 `json:"tokens_saved"`
}

// PipelineReport is the result of a pipeline.
type PipelineReport struct {
	Pipeline string         `json:"pipeline"`
	Session  string         `json:"session_id"`
	Mode     string         `json:"mode"` // Live, or Session if the session was known before
	OK       bool           `json:"ok"`
	Stages   []StageReport  `json:"stages"`  // in the order of the file
	Outputs  map[string]any `json:"outputs"` // by stage: the outputs that no other stage reads
	Context  ContextUse     `json:"context"`
	Tokens   int64          `json:"tokens"`
}

// ErrArgument means that an argument was given that the pipeline does not have.
var ErrArgument = errors.New("the pipeline has no argument of that name")

// maxTemplate is the largest template, in bytes.
const maxTemplate = 16 << 20

// Pipeline is one run of a pipeline.
type Pipeline struct {
	// Note is called with what a stage does, like Step.Note, Done with its result. Stages that run
	// concurrently call them concurrently.
	Note func(stage string, problem bool, text string)
	Done func(StageReport, PipelineTotal)

	o     PipelineOptions
	p     *pipeline.Pipeline
	plan  pipeline.Plan
	scope pipeline.Scope             // its maps grow during the run; guarded by mu
	given map[string]json.RawMessage // values from PipelineOptions.Context

	mu  sync.Mutex
	rep PipelineReport
	sum PipelineTotal
}

// width is the number of stages that run at the same time.
const width = 4

// NewPipeline reads templates, orders the stages, and checks every variable that can be known
// before the run.
func NewPipeline(o PipelineOptions) (*Pipeline, error) {
	r := &Pipeline{o: o, p: o.Answer.Pipeline, given: map[string]json.RawMessage{}}
	r.rep = PipelineReport{Pipeline: r.p.Name, Session: o.Session, Mode: "Live", Outputs: map[string]any{}}
	if s := o.Answer.Session; s != nil && s.Known {
		r.rep.Mode = "Session"
	}
	if err := r.arguments(); err != nil {
		return nil, err
	}
	r.scope.Env, r.scope.Allowed = map[string]string{}, o.Answer.Env
	for _, name := range o.Answer.Env {
		if v, ok := config.LookupEnv(o.Env, name); ok {
			r.scope.Env[name] = v
		}
	}
	if err := r.loadSession(); err != nil {
		return nil, err
	}
	for i := range r.p.Stages {
		s := &r.p.Stages[i]
		r.rep.Stages = append(r.rep.Stages, StageReport{Stage: s.Name, State: "skipped"})
		if err := r.addTemplate(s); err != nil {
			return nil, fmt.Errorf("stage %s: %w", s.Name, err)
		}
	}
	known := r.p.ArgNames()
	for name := range o.Args {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s: %w; it has: %s", name, ErrArgument, strings.Join(known, ", "))
		}
	}
	var err error
	if r.plan, err = r.p.Plan(); err != nil {
		return nil, err
	}
	if err := r.p.Known(&r.scope); err != nil {
		return nil, err
	}
	r.filter()
	return r, nil
}

// Name returns the name of the pipeline.
func (r *Pipeline) Name() string { return r.p.Name }

// Mode returns Live, or Session if the session was known before.
func (r *Pipeline) Mode() string { return r.rep.Mode }

// PlannedStage is a stage with those that it waits for.
type PlannedStage struct {
	Stage string   `json:"stage"`
	Needs []string `json:"needs"`
}

// Plan returns the stages in an order in which they may run.
func (r *Pipeline) Plan() []PlannedStage {
	out := []PlannedStage{}
	for _, i := range r.plan.Order {
		s := PlannedStage{r.p.Stages[i].Name, []string{}}
		for _, n := range r.plan.Needs[i] {
			s.Needs = append(s.Needs, r.p.Stages[n].Name)
		}
		out = append(out, s)
	}
	return out
}

func (r *Pipeline) arguments() error {
	args := map[string]string{}
	maps.Copy(args, r.o.Args)
	for i, v := range r.o.Positional {
		args[strconv.Itoa(i+1)] = v
	}
	for _, name := range slices.Sorted(maps.Keys(r.p.Args)) {
		if _, ok := args[name]; ok {
			continue
		}
		if r.p.Args[name] == nil {
			return fmt.Errorf("the argument %s is missing; give it with --arg %s=VALUE", name, name)
		}
		args[name] = *r.p.Args[name]
	}
	r.scope.Args = args
	return nil
}

// loadSession adds the stored values of the session, and those that were given for it, to the
// scope.
func (r *Pipeline) loadSession() error {
	r.scope.Stages, r.scope.Text, r.scope.Context = map[string]any{}, map[string]bool{}, map[string]any{}
	if s := r.o.Answer.Session; s != nil {
		for _, o := range s.Outputs {
			var v any = string(o.Value)
			if o.JSON {
				v = decoded(o.Value)
			}
			for _, name := range pipeline.OutputNames(o.Stage, o.Prompt) {
				r.scope.Stages[name], r.scope.Text[name] = v, !o.JSON
			}
			r.scope.Order = append([]string{o.Stage}, r.scope.Order...)
		}
		for k, v := range s.Context {
			r.scope.Context[k] = decoded(v)
		}
	}
	for k, v := range r.o.Context {
		var value any = v
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if err := json.Unmarshal([]byte(v), &value); err != nil {
				return fmt.Errorf("--context %s: not JSON: %w", k, err)
			}
		}
		r.scope.Context[k] = value
		r.given[k], _ = json.Marshal(value) // a value from JSON, or a string
	}
	return nil
}

// addTemplate adds the text of a stage's template to that of its definitions.
func (r *Pipeline) addTemplate(s *pipeline.Stage) error {
	if s.Template == "" {
		return nil
	}
	name, err := r.scope.Expand(s.Template)
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.o.Root, filepath.FromSlash(name))
	}
	data, err := regularfile.Read(name, regularfile.FollowLinks, maxTemplate)
	if err != nil {
		return fmt.Errorf("read template: %w", err)
	}
	if s.Text != "" {
		s.Text += "\n"
	}
	s.Text += string(data)
	return nil
}

// filter removes from the scope what the pipeline does not use. It counts the tokens of the removed
// values, at four bytes each.
func (r *Pipeline) filter() {
	names := r.p.Named(func(v pipeline.Ref) bool {
		_, known := r.scope.Context[v.Name]
		return v.Kind == "CONTEXT" || v.Kind == "" && known
	})
	stages := r.p.Named(func(v pipeline.Ref) bool { return v.Kind == "STAGE" })
	use := &r.rep.Context
	var left int64
	if s := r.o.Answer.Session; s != nil {
		use.Of = len(r.scope.Context) + len(s.Outputs)
		for _, o := range s.Outputs {
			if slices.ContainsFunc(pipeline.OutputNames(o.Stage, o.Prompt), func(n string) bool { return stages[n] }) {
				use.Values++
			} else {
				left += int64(len(o.Value))
			}
		}
	}
	maps.DeleteFunc(r.scope.Context, func(k string, v any) bool {
		if !names[k] {
			left += int64(len(pipeline.Text(v)))
		}
		return !names[k]
	})
	use.Values += len(r.scope.Context)
	use.Tokens = left / 4
}

// decoded returns a value decoded from JSON, or the text itself if it is not JSON.
func decoded(raw []byte) any {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return v
}
