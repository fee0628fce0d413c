package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// open reads a pipeline, the definitions that it names, and what its session has stored.
func (s *stageHandler) open(ctx context.Context, r api.PipelineRequest) (api.PipelineAnswer, error) {
	var out api.PipelineAnswer
	root := s.place(ctx).Root
	before := s.loader.Stats()
	s.remember(ctx, r.Session)
	var d *pipeline.Definition
	var err error
	if r.Name != "" {
		d, err = s.loader.Find(root, pipeline.KindPipeline, r.Name)
	} else {
		file := r.File
		if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
		d, err = s.loader.Load(root, pipeline.KindPipeline, file)
	}
	if err != nil {
		return out, wrong(err)
	}
	out.ID, out.Env = d.File, append([]string{}, s.settings.Get().PipelineEnv...)
	out.Agents, out.Prompts = map[string]api.Text{}, map[string]api.Text{}
	for _, st := range d.Pipeline.Stages {
		for _, need := range []struct {
			kind, name string
			into       map[string]api.Text
		}{{pipeline.KindAgent, st.Agent, out.Agents}, {pipeline.KindCommand, st.Prompt, out.Prompts}} {
			if need.name == "" {
				continue
			}
			def, err := s.loader.Find(root, need.kind, need.name)
			if err != nil {
				return out, wrong(err)
			}
			need.into[need.name] = api.Text{Body: def.Body, Model: def.Model}
		}
	}
	if out.Pipeline, err = json.Marshal(d.Pipeline); err != nil {
		return out, wrong(err)
	}
	out.Parsed = s.loader.Stats().Parsed > before.Parsed
	if r.Session == "" {
		return out, nil
	}
	if out.Parsed {
		s.save(ctx, r.Session, root)
	}
	out.Session, err = s.session(ctx, r.Session, out.ID)
	return out, wrong(err)
}

// remember loads the definitions that another daemon parsed in the session a short time ago.
func (s *stageHandler) remember(ctx context.Context, session string) {
	if session == "" || s.loader.Stats() != (pipeline.LoaderStats{}) {
		return
	}
	data, err := s.cache.Loaded(ctx, session)
	if err == nil && data != nil {
		err = s.loader.Restore(data)
	}
	if err != nil {
		s.log.Warn("definitions of the session not read", "err", err)
	}
}

// save stores the definitions with the session. A failure costs only time.
func (s *stageHandler) save(ctx context.Context, session, root string) {
	data, err := s.loader.Export(root)
	if err == nil {
		err = s.cache.SaveLoaded(ctx, session, data)
	}
	if err != nil {
		s.log.Warn("definitions of the session not kept", "err", err)
	}
}

func (s *stageHandler) session(ctx context.Context, id, pipelineID string) (*api.PipelineSession, error) {
	had, err := s.cache.Session(ctx, id, pipelineID)
	if err != nil {
		return nil, err
	}
	outputs := convert(had.Outputs, func(o stage.Output) api.PipelineOutput { return api.PipelineOutput(o) })
	return &api.PipelineSession{Known: had.Known, Outputs: outputs,
		Context: had.Context, State: had.State, Steps: had.Steps, Tokens: had.Tokens}, nil
}

func (s *stageHandler) progress(ctx context.Context, r api.PipelineStep) (api.None, error) {
	p := stage.Progress{Session: r.Session, Pipeline: r.ID, State: r.State, Output: (*stage.Output)(r.Output), Key: r.Key,
		Context: r.Context, Tokens: r.Tokens, Call: api.CallID(ctx)}
	if err := s.cache.Progress(ctx, p); err != nil {
		return api.None{}, wrong(err) // nothing was stored: the call is repeated, and its tokens count once
	}
	return api.None{}, s.sessions.Spend(ctx, r.Session, r.Tokens, api.CallID(ctx))
}

func (s *stageHandler) definitions(ctx context.Context, r api.StatsRequest) (api.StatsAnswer, error) {
	root, before := s.place(ctx).Root, s.loader.Stats()
	s.remember(ctx, r.Session)
	found, broken, err := s.loader.All(root)
	after := s.loader.Stats()
	unread := convert(broken, func(b pipeline.Broken) api.BrokenDefinition { return api.BrokenDefinition(b) })
	out := &api.DefinitionsAnswer{Definitions: []api.Definition{}, Broken: unread,
		Hits: after.Hits - before.Hits, Parsed: after.Parsed - before.Parsed}
	for _, d := range found {
		e := api.Definition{Kind: d.Kind, Name: d.Name, File: d.File, Description: d.Description, Model: d.Model}
		if d.Pipeline != nil {
			e.Stages = d.Pipeline.Names()
		}
		out.Definitions = append(out.Definitions, e)
	}
	if r.Session != "" && out.Parsed > 0 {
		s.save(ctx, r.Session, root)
	}
	return api.StatsAnswer{Definitions: out}, wrong(err)
}
