package daemon

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// pipelineOpen reads a pipeline, the definitions that it names, and what its session has stored.
func (d *Daemon) pipelineOpen(ctx context.Context, r api.PipelineRequest) (out api.PipelineAnswer, err error) {
	root := d.stagePlace(ctx).Root
	var def *pipeline.Definition
	if r.Name != "" {
		def, err = pipeline.Find(root, pipeline.KindPipeline, r.Name)
	} else {
		file := r.File
		if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
		def, err = pipeline.Load(root, pipeline.KindPipeline, file)
	}
	if err != nil {
		return out, err
	}
	p := def.Pipeline
	for i := range p.Stages {
		if err := addTexts(root, &p.Stages[i]); err != nil {
			return out, err
		}
	}
	out.ID, out.Pipeline, out.Env = def.File, p, append([]string{}, d.settings.Get().PipelineEnv...)
	if r.Session != "" {
		out.Session, err = d.stages.Session(ctx, r.Session, out.ID)
	}
	return out, err
}

// addTexts adds the texts of a stage's agent and prompt, and the model that they name.
func addTexts(root string, st *pipeline.Stage) error {
	var texts []string
	models := []string{st.Model}
	for _, need := range [][2]string{{pipeline.KindAgent, st.Agent}, {pipeline.KindCommand, st.Prompt}} {
		if need[1] == "" {
			continue
		}
		d, err := pipeline.Find(root, need[0], need[1])
		if err != nil {
			return err
		}
		// the prompt's model comes before the agent's
		texts, models = append(texts, d.Body), slices.Insert(models, 1, d.Model)
	}
	st.Text, st.Model = strings.Join(texts, "\n"), cmp.Or(models...)
	return nil
}

func (d *Daemon) pipelineProgress(ctx context.Context, p stage.Progress) (api.None, error) {
	p.Call = api.CallID(ctx)
	if err := d.stages.Progress(ctx, p); err != nil {
		return api.None{}, err // nothing was stored: if the call is repeated its tokens still count once
	}
	if p.Session == "" {
		return api.None{}, nil
	}
	_, err := d.events.Append(ctx, []event.Event{{ID: "spent:" + p.Call, Time: d.now(), Agent: "cli",
		Session: p.Session, Body: event.State{Tokens: int(p.Tokens)}}})
	return api.None{}, err
}
