package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// word is a word of a command line, as far as it can be known without running anything.
type word struct {
	text  string
	typed string // as typed, with "…" for parts that only the shell can expand; "" if it equals text
	ok    bool   // false if it contains a variable or a substitution of unknown value
	glob  bool   // it contains *, ? or [ outside of quotes
}

// is reports whether the word is exactly this text.
func (w word) is(text string) bool { return w.ok && w.text == text }

// flag reports whether the word is an option.
func (w word) flag() bool { return w.ok && len(w.text) > 1 && w.text[0] == '-' }

// asTyped returns the word as people typed it.
func (w word) asTyped() string {
	if w.typed != "" {
		return w.typed
	}
	return w.text
}

// fields expands words as bash does: braces, variables, quotes. A word with an unknown part stays
// in its place.
func (sh *walker) fields(ws []*syntax.Word) []word {
	out := make([]word, 0, len(ws))
	for _, w := range ws {
		if w != nil {
			out = append(out, sh.field(w)...)
		}
	}
	return out
}

// Limits of the expansion.
const (
	maxBraces = 3       // braces in one word
	maxCommas = 32      // commas in these braces
	maxValue  = 4 << 10 // bytes of a variable
	maxValues = 1 << 20 // bytes of all variables that a line uses
)

// field expands one word.
func (sh *walker) field(w *syntax.Word) []word {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[{~") {
			return []word{{text: lit.Value, ok: true}}
		}
	}
	sure, glob := sh.expandable(w)
	out := word{typed: typed(w.Parts), glob: glob}
	var texts []string
	if sure {
		texts, sure = sh.expanded(w)
	}
	if out.ok = sure; !sure || len(texts) == 1 {
		if out.text = strings.Join(texts, " "); texts == nil { // the part of the text that is known
			out.text = strings.ReplaceAll(out.typed, "…", "")
		}
		return []word{out}
	}
	all := make([]word, len(texts))
	for i, text := range texts {
		all[i] = word{text: text, ok: true, glob: glob}
	}
	return all
}

// expanded expands a word. ok is true if all of it is known.
func (sh *walker) expanded(w *syntax.Word) (texts []string, ok bool) {
	defer func() {
		if recover() != nil { // as in parseShell
			texts, ok = nil, false
		}
	}()
	env := &known{sh, true}
	texts, err := expand.Fields(&expand.Config{Env: env}, w)
	return texts, err == nil && env.all
}

// expandable walks the commands inside of a word, and reports whether the word can be known without
// running anything: it has no command, no home folder, no expansion that makes a long text from a
// short one, and not too many braces. glob means that it has a pattern outside of quotes.
func (sh *walker) expandable(w *syntax.Word) (sure, glob bool) {
	sure = true
	var bare strings.Builder // the part outside of quotes
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			bare.WriteString(lit.Value)
			sure = sure && (i > 0 || !strings.HasPrefix(lit.Value, "~"))
		}
	}
	outside := bare.String()
	if n := strings.Count(outside, "{"); n > maxBraces || n > 0 && (strings.Contains(outside, "..") ||
		strings.Count(outside, ",") > maxCommas) {
		sure = false
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.CmdSubst:
			sh.substituted(x.Stmts)
			sure = false
			return false
		case *syntax.ProcSubst:
			sh.substituted(x.Stmts)
			sure = false
			return false
		case *syntax.ParamExp:
			sure = sure && x.Param != nil && x.Index == nil && x.Repl == nil && x.Names == 0 &&
				(x.Param.Value != "PWD" || sh.dir != lost)
		}
		return true
	})
	return sure, strings.ContainsAny(outside, "*?[")
}

// known is the environment of an expansion: the variables whose values are known. all stays true as
// long as no other variable is needed.
type known struct {
	sh  *walker
	all bool
}

func (k *known) Get(name string) expand.Variable {
	v, ok := k.sh.vars[name]
	switch {
	case name == "PWD": // mvdan/sh always asks for it
		v, ok = k.sh.dir, true
	case name == "IFS":
		return expand.Variable{}
	}
	if *k.sh.values += len(v); !ok || *k.sh.values > maxValues {
		k.all = false
		return expand.Variable{}
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: v}
}

// Each would be called for ${!a*}, which is never expanded.
func (k *known) Each(func(string, expand.Variable) bool) {}

// assign remembers variables whose value is known and forgets the others.
func (sh *walker) assign(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil || a.Naked {
			continue
		}
		delete(sh.vars, a.Name.Value)
		if a.Value == nil || a.Append || a.Index != nil {
			continue
		}
		if w := sh.field(a.Value); len(w) == 1 && w[0].ok && len(w[0].text) <= maxValue {
			sh.vars[a.Name.Value] = w[0].text
		}
	}
}

// heredoc returns the text of a here-document without its variables.
func (sh *walker) heredoc(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && b.Len() < MaxLine {
			b.WriteString(lit.Value)
		}
	}
	return event.Clip(b.String(), MaxLine)
}

// spread returns the values of a word. For a pattern these are the matching files, as names
// relative to dir.
func (sh *walker) spread(w word) []string {
	if !w.ok {
		return nil
	}
	if !w.glob {
		return []string{w.text}
	}
	var out []string
	for _, p := range sh.expand(w.text) {
		if sh.Root() != "" {
			out = append(out, sh.Root()+"/"+string(p))
		}
	}
	return out
}

// files returns the known files that a word means: by name, by pattern, or else the only file whose
// path ends in it.
func (sh *walker) files(w word) []event.Path {
	if !w.ok || w.text == "" || w.text == "-" {
		return nil
	}
	if w.glob {
		return sh.expand(w.text)
	}
	last := index.Exact
	if _, in := sh.Inside(sh.dir); (in || sh.dir == lost) &&
		(strings.IndexAny(w.text, `/\`) > 0 || index.LooksNamed(w.text) && sh.dir == lost) {
		last = index.End
	}
	if p, at := sh.Find(w.text, index.Exact, last, sh.dir); at != index.None {
		return []event.Path{p}
	}
	return nil
}

// expand returns the files of the tree that match a pattern, at most event.MaxSeen, sorted.
func (sh *walker) expand(pattern string) []event.Path {
	abs := sh.Abs(pattern, sh.dir)
	rel, ok := sh.Inside(abs)
	if !ok || sh.Tree == nil || *sh.steps > maxSteps {
		return nil
	}
	*sh.steps += 50 // a scan of the tree costs more than a command
	var out []event.Path
	dir, base := path.Split(rel)
	if dir = strings.TrimSuffix(dir, "/"); !strings.ContainsAny(dir, "*?[") {
		for _, p := range sh.Tree.Dir(dir) {
			if hit, _ := path.Match(base, p.Base()); hit && (base[0] == '.' || p.Base()[0] != '.') {
				out = append(out, p)
			}
		}
	} else if strings.Count(rel, "**") <= 2 {
		*sh.steps += 200
		for _, p := range sh.Tree.All() {
			if doublestar.MatchUnvalidated(rel, string(p)) {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return out[:min(len(out), event.MaxSeen)]
}

// target returns the path of a file that a command creates or changes. The file need not be known.
func (sh *walker) target(w word) (event.Path, bool) {
	if !w.ok || w.glob || w.text == "" || sh.dir == lost && !index.IsAbs(index.Slash(w.text)) ||
		strings.HasSuffix(w.text, "/") {
		return "", false
	}
	p, ok := sh.Path(w.text, sh.dir)
	if !ok || sh.Ignored(p) || sh.Folder(p) {
		return "", false
	}
	return p, true
}
