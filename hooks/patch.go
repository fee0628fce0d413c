package hooks

import (
	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// patch returns the bodies for a call of apply_patch.
func (s *CallContext) patch(c ToolCall) []event.Body {
	text := c.Input.text("command", "input", "patch")
	if list := c.Input.texts("command"); text == "" && len(list) > 0 {
		text = list[len(list)-1]
	}
	ops := shell.PatchFiles(text)
	if c.Failed {
		names := make([]string, len(ops))
		for i, op := range ops {
			names[i] = op.Name
		}
		return []event.Body{s.failed(event.ActEdit, c, names...)}
	}
	var out []event.Body
	for _, op := range ops {
		out = append(out, s.changed(op, s.Files.Cwd)...)
	}
	return out
}

// changed returns what a patch that is applied in dir does to one file.
func (s *CallContext) changed(op shell.PatchFile, dir string) []event.Body {
	p, ok := s.Files.Path(op.Name, dir)
	if !ok || s.Files.Ignored(p) {
		return nil
	}
	out := []event.Body{s.onFiles(op.Kind, p)}
	if to, ok := s.Files.Path(op.To, dir); ok && !s.Files.Ignored(to) {
		out = append(out, event.Rename{From: []event.Path{p}, To: []event.Path{to}})
	}
	return out
}

// onFiles returns the body for reading, changing or deleting files.
func (s *CallContext) onFiles(k event.Kind, files ...event.Path) event.Body {
	if k == event.KindDelete {
		return event.Delete{Paths: files}
	}
	return event.Call{Act: event.Act(k), Paths: files, Tags: s.tags(k, nil, files)}
}
