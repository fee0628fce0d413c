package hooks

import (
	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// patch is a call of apply_patch.
func (s *CallContext) patch(c ToolCall) []event.Event {
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
		return []event.Event{s.failed(c, names...)}
	}
	var events []event.Event
	for _, op := range ops {
		events = append(events, s.changed(op, s.Files.Cwd)...)
	}
	return events
}

// changed are the events of one file of a patch applied in dir.
func (s *CallContext) changed(op shell.PatchFile, dir string) []event.Event {
	p, ok := s.Files.Path(op.Name, dir)
	if !ok || s.Files.Ignored(p) {
		return nil
	}
	e := s.event("", op.Kind)
	e.Paths, e.OK = []event.Path{p}, true
	e.Tags = s.tags(e.Kind, nil, e.Paths)
	out := []event.Event{e}
	if to, ok := s.Files.Path(op.To, dir); ok && !s.Files.Ignored(to) {
		r := s.event("", event.KindRename)
		r.From, r.Paths, r.OK = e.Paths, []event.Path{to}, true
		out = append(out, r)
	}
	return out
}
