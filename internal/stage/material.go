package stage

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
)

// material lists the parts of a request's key, and the globs that name no file.
func (m *memo) material(ctx context.Context, t *tree, r *Request) (keyParts, []string, error) {
	deps, idle, err := t.resolve(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	files, err := m.parts(ctx, deps)
	if err != nil {
		return nil, nil, err
	}
	out := make(keyParts, 0, len(files)+len(r.Inputs)+len(r.Env)+len(r.Outputs)+8)
	out = append(out, r.what()...)
	out = append(out, files...)
	switch {
	case r.Template != "":
		p, err := m.template(r)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, p)
	case r.Text != "":
		out = append(out, keyPart{kindTemplate, "", sha256.Sum256([]byte(r.Text))})
	}
	if r.Tool != "" {
		out = append(out, keyPart{kindTool, "", sha256.Sum256([]byte(r.Tool))})
	}
	if r.Model != "" {
		out = append(out, keyPart{kindModel, "", sha256.Sum256([]byte(r.Model))})
	}
	return append(out, keyPart{kindFormat, "", sha256.Sum256([]byte(format))}), idle, nil
}

// what is the part of the material that needs no disk: everything before the files.
func (r *Request) what() keyParts {
	text := func(kind, name, value string) keyPart { return keyPart{kind, name, sha256.Sum256([]byte(value))} }
	var words []byte
	for _, w := range r.Command {
		words = appendText(words, w)
	}
	out := keyParts{text(kindStage, "", r.Stage), text(kindCommand, "", string(words)), text(kindFolder, "", r.Dir)}
	for _, o := range slices.Compact(slices.Sorted(slices.Values(r.Outputs))) {
		out = append(out, keyPart{Kind: kindOutput, Name: o})
	}
	if r.Stdin != nil {
		out = append(out, text(kindStdin, "", *r.Stdin))
	}
	for _, k := range slices.Sorted(maps.Keys(r.Inputs)) {
		out = append(out, text(kindInput, k, r.Inputs[k]))
	}
	for _, k := range slices.Sorted(maps.Keys(r.Env)) {
		if v := r.Env[k]; v != nil {
			out = append(out, text(kindEnv, k, *v))
		} else {
			out = append(out, keyPart{Kind: kindNoEnv, Name: k})
		}
	}
	return out
}
