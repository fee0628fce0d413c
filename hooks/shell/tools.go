package shell

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// read is a command that prints files, or changes them in place.
func (sh *walker) read(c command, s spec) {
	args := c.args
	if c.name == "jq" || c.name == "gojq" {
		args = withoutPairs(args)
	}
	o := s.parse(args)
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

// touched notes the files of an operand one by one; a pattern that matches many is one Op. It returns false if there is
// none.
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

// withoutPairs drops jq's options that take a name and a value.
func withoutPairs(args []word) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		switch args[i].text {
		case "--arg", "--argjson", "--slurpfile", "--rawfile":
			i += 2
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// edit is a formatter, a fixer or an editor.
func (sh *walker) edit(c command, s spec) {
	o := s.parse(c.args)
	ops := o.ops
	if s.verbs != nil {
		if len(ops) == 0 || !slices.Contains(s.verbs, ops[0].text) {
			sh.started(c)
			return
		}
		if ops[0].is("format") && c.name == "ruff" {
			s.need = nil
		}
		ops = ops[1:]
	}
	if s.need != nil && !o.has(s.need...) || o.has("--check", "--diff") {
		sh.started(c)
		return
	}
	n := len(sh.result.Ops)
	for _, w := range ops {
		sh.touched(event.KindEdit, w)
	}
	if len(sh.result.Ops) == n {
		sh.started(c)
	}
}

// write notes the file that output went to.
func (sh *walker) write(kind event.Kind, w word) {
	if p, ok := sh.target(w); ok {
		sh.note(Op{Kind: kind, Paths: []event.Path{p}, Silent: true})
	}
}

// tee writes its input to files; touch makes those that are not there.
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

// copy reads the sources and writes the destination.
func (sh *walker) copy(c command, s spec) {
	ops := s.parse(c.args).ops
	if len(ops) < 2 || c.name == "ln" {
		sh.started(c)
		return
	}
	sources, to := ops[:len(ops)-1], ops[len(ops)-1]
	n := len(sh.result.Ops)
	for _, w := range sources {
		ps := sh.files(w)
		for _, p := range ps {
			sh.note(Op{Kind: event.KindRead, Paths: []event.Path{p}, Silent: true})
		}
		if w.ok && !w.glob {
			sh.write(event.KindWrite, sh.into(to, w, len(sources) > 1))
		}
	}
	if len(sh.result.Ops) == n {
		sh.started(c)
	}
}

// into is the name of a source inside a destination that is a folder, else the destination.
func (sh *walker) into(to, source word, many bool) word {
	if !to.ok || to.glob || !source.ok {
		return word{}
	}
	p, ok := sh.Path(to.text, sh.dir)
	if many || strings.HasSuffix(to.text, "/") || to.is(".") || ok && sh.Folder(p) {
		src := strings.TrimSuffix(index.Slash(source.text), "/")
		return word{text: strings.TrimSuffix(to.text, "/") + "/" + src[strings.LastIndexByte(src, '/')+1:], ok: true}
	}
	return to
}

// move renames files, or all files of a folder.
func (sh *walker) move(ops []word) {
	if len(ops) < 2 {
		return
	}
	to := ops[len(ops)-1]
	for _, w := range ops[:len(ops)-1] {
		dest := sh.into(to, w, len(ops) > 2)
		from, known := sh.Known(w.text, sh.dir)
		target, ok := sh.target(dest)
		switch {
		case !w.ok || w.glob || !dest.ok:
		case known && ok:
			sh.rename([]event.Path{from}, []event.Path{target})
		case known:
			sh.gone(Op{Paths: []event.Path{from}})
		case ok && sh.Has(target) && sh.plausible(w):
			// The tree may have learned of the move before we did.
			p, _ := sh.target(w)
			sh.rename([]event.Path{p}, []event.Path{target})
		case sh.below(w) != nil:
			sh.moveFolder(w, dest)
		case ok && len(target.Ext()) > 1:
			sh.note(Op{Kind: event.KindWrite, Paths: []event.Path{target}, Silent: true})
		}
	}
}

// plausible reports whether the word, unknown now, may have been a file of the repository.
func (sh *walker) plausible(w word) bool {
	p, ok := sh.target(w)
	return ok && !sh.Has(p) && len(p.Ext()) > 1
}

func (sh *walker) moveFolder(w, to word) {
	dest, err := sh.Path(to.text, sh.dir)
	if !err {
		sh.gone(Op{Paths: sh.below(w)})
		return
	}
	base, _ := sh.Path(w.text, sh.dir)
	from := sh.below(w)
	paths := make([]event.Path, len(from))
	for i, p := range from {
		paths[i] = dest + p[len(base):]
	}
	sh.rename(from, paths)
}

// below are the files in a folder, at most maxBelow.
func (sh *walker) below(w word) []event.Path {
	p, ok := sh.Path(w.text, sh.dir)
	if !ok || !w.ok || w.glob || sh.Tree == nil || *sh.steps > maxSteps {
		return nil
	}
	*sh.steps += 250
	var out []event.Path
	for _, f := range sh.Tree.All() {
		if strings.HasPrefix(string(f), string(p)+"/") {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxBelow)]
}

// rename notes a move. In a transcript it is long past: the history knows better.
func (sh *walker) rename(from, to []event.Path) {
	if sh.past && (sh.Has(from[0]) || !sh.Has(to[0])) {
		sh.note(Op{Kind: event.KindRun, Named: append(from[:len(from):len(from)], to...), Silent: true})
		return
	}
	sh.note(Op{Kind: event.KindRename, From: from, Paths: to, Silent: true})
}

// gone notes files that were removed, unless that is long past.
func (sh *walker) gone(op Op) {
	if op.Kind, op.Silent = event.KindDelete, true; sh.past {
		op = Op{Kind: event.KindRun, Named: op.Paths, Silent: true}
	}
	sh.note(op)
}

// remove is rm: of files, or of all files of a folder.
func (sh *walker) remove(ops []word) {
	for _, w := range ops {
		op := Op{Paths: sh.files(w), Operand: Operand{w.text, sh.dir}}
		_, known := sh.Known(w.text, sh.dir)
		op.Guessed = len(op.Paths) > 0 && !known && !w.glob
		if len(op.Paths) == 0 {
			op.Paths = sh.below(w)
		}
		if p, ok := sh.target(w); ok && len(op.Paths) == 0 && sh.plausible(w) {
			op.Paths = []event.Path{p} // the tree may have learned of it before we did
		}
		if len(op.Paths) > 0 {
			sh.gone(op)
		}
	}
}

// patched is a patch applied: given as a here-document or in a file.
func (sh *walker) patched(c command) {
	body := ""
	if c.in != nil {
		body = c.in.body
	} else if len(c.args) > 0 && c.args[0].ok && strings.Contains(c.args[0].text, "*** ") {
		body = c.args[0].text
	}
	n := len(sh.result.Ops)
	for _, op := range PatchFiles(body) {
		if p, ok := sh.target(word{text: op.Name, ok: true}); ok {
			sh.note(Op{Kind: op.Kind, Paths: []event.Path{p}, Silent: true})
		}
	}
	for line := range strings.Lines(body) {
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), "\t")
			sh.touched(event.KindEdit, word{text: strings.TrimPrefix(name, "b/"), ok: true})
		}
	}
	for _, w := range c.args {
		if n == len(sh.result.Ops) && !w.flag() {
			sh.touched(event.KindEdit, w)
		}
	}
	if n == len(sh.result.Ops) {
		sh.started(c)
	}
}
