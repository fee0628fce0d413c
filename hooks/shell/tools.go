package shell

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// read handles a command that prints files or changes them in place.
func (sh *walker) read(c command, s spec) {
	o := s.parse(c.args)
	ops := o.ops
	inPlace := o.has(s.edit...)
	if inPlace && len(ops) > 0 && ops[0].is("") {
		ops = ops[1:] // sed -i '' on BSD
	}
	if s.prog != nil && !o.has(s.prog...) && len(ops) > 0 {
		ops = ops[1:]
	}
	kind := event.KindRead
	if inPlace {
		kind = event.KindEdit
	}
	for _, w := range ops {
		if !sh.touched(kind, w) && w.ok && !w.glob && !sh.mute {
			sh.result.Missing = append(sh.result.Missing, Operand{w.text, sh.dir})
		}
	}
	for _, w := range o.values["-o"] {
		if c.name == "sort" {
			sh.write(event.KindWrite, w)
		}
	}
}

// touched records each file of an operand separately; a pattern that matches many files is one Op.
// It returns false if no file is meant.
func (sh *walker) touched(kind event.Kind, w word) bool {
	ps := sh.files(w)
	op := Op{Kind: kind, Paths: ps, Silent: kind != event.KindRead}
	if len(ps) > 8 {
		sh.note(op)
		return true
	}
	if !w.glob {
		_, known := sh.Known(w.text, sh.dir)
		op.Operand, op.Guessed = Operand{w.text, sh.dir}, !known
	}
	for i := range ps {
		op.Paths = ps[i : i+1]
		sh.note(op)
	}
	return len(ps) > 0
}

// write records a file to which output went.
func (sh *walker) write(kind event.Kind, w word) {
	if p, ok := sh.target(w); ok {
		sh.note(Op{Kind: kind, Paths: []event.Path{p}, Silent: true})
	}
}

// tee handles tee, which writes its input to files, and touch, which creates missing files.
func (sh *walker) tee(c command, s spec) {
	o := s.parse(c.args)
	kind := event.KindWrite
	if o.has("-a", "--append") && c.name == "tee" {
		kind = event.KindEdit
	}
	for _, w := range o.ops {
		if c.name == "touch" && len(sh.files(w)) > 0 {
			continue
		}
		sh.write(kind, w)
	}
}

// patched handles a patch in the form of the apply_patch tool, in a here-document or an argument.
func (sh *walker) patched(c command) {
	body := ""
	if c.in != nil {
		body = *c.in
	} else if len(c.args) > 0 && c.args[0].ok {
		body = c.args[0].text
	}
	n := len(sh.result.Ops)
	for _, op := range PatchFiles(body) {
		if p, ok := sh.target(word{text: op.Name, ok: true}); ok && op.Kind.Open() {
			sh.note(Op{Kind: op.Kind, Paths: []event.Path{p}, Silent: true})
		}
	}
	if n == len(sh.result.Ops) {
		sh.started(c)
	}
}

// PatchFile is what a patch in the form of the apply_patch tool does to one file.
type PatchFile struct {
	Kind     event.Kind // write, edit or delete
	Name, To string     // To is the new name if the file is renamed
}

// patchVerbs maps the word in a header to what is done to the file.
var patchVerbs = map[string]event.Kind{"Add": event.KindWrite, "Update": event.KindEdit, "Delete": event.KindDelete}

// PatchFiles reads the headers of a patch. Its lines are ignored.
func PatchFiles(patch string) []PatchFile {
	var ops []PatchFile
	for line := range strings.Lines(event.Clip(patch, 16*MaxLine)) {
		line = strings.TrimSpace(line)
		for verb, kind := range patchVerbs {
			if name, ok := strings.CutPrefix(line, "*** "+verb+" File: "); ok && len(ops) < event.MaxSeen {
				ops = append(ops, PatchFile{Kind: kind, Name: name})
			}
		}
		if to, ok := strings.CutPrefix(line, "*** Move to: "); ok && len(ops) > 0 {
			ops[len(ops)-1].To = to
		}
	}
	return ops
}
