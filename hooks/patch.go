package hooks

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// patchOp is one file of a patch in the form of the apply_patch tool.
type patchOp struct {
	verb     string // Add, Update, Delete
	name, to string // to: the new name, if the file moves
}

// patchOps reads the headers of a patch; its lines are not kept.
func patchOps(patch string) []patchOp {
	var ops []patchOp
	for line := range strings.Lines(clip(patch, 16*maxCommand)) {
		line = strings.TrimSpace(line)
		for _, verb := range []string{"Add", "Update", "Delete"} {
			if name, ok := strings.CutPrefix(line, "*** "+verb+" File: "); ok && len(ops) < event.MaxSeen {
				ops = append(ops, patchOp{verb: verb, name: name})
			}
		}
		if to, ok := strings.CutPrefix(line, "*** Move to: "); ok && len(ops) > 0 {
			ops[len(ops)-1].to = to
		}
	}
	return ops
}

// patch is a call of apply_patch.
func (s *scene) patch(c toolCall) []event.Event {
	text := c.input.text("command", "input", "patch")
	if list := c.input.texts("command"); text == "" && len(list) > 0 {
		text = list[len(list)-1]
	}
	ops := patchOps(text)
	if c.failed {
		names := make([]string, len(ops))
		for i, op := range ops {
			names[i] = op.name
		}
		return []event.Event{s.failed(c, names...)}
	}
	var events []event.Event
	for _, op := range ops {
		events = append(events, s.changed(op, s.place.cwd)...)
	}
	return events
}

// changed are the events of one file of a patch applied in dir.
func (s *scene) changed(op patchOp, dir string) []event.Event {
	p, ok := s.place.file(op.name, dir)
	if !ok || s.ignored(p) {
		return nil
	}
	e := s.event("", map[string]event.Kind{"Add": event.KindWrite, "Update": event.KindEdit, "Delete": event.KindDelete}[op.verb])
	e.Paths, e.OK = []event.Path{p}, true
	e.Tags = s.tags(e.Kind, nil, e.Paths)
	out := []event.Event{e}
	if to, ok := s.place.file(op.to, dir); ok && !s.ignored(to) {
		r := s.event("", event.KindRename)
		r.From, r.Paths, r.OK = e.Paths, []event.Path{to}, true
		out = append(out, r)
	}
	return out
}
