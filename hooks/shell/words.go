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

// word is a word of a command line as far as it can be known without running anything.
type word struct {
	text  string
	typed string // as typed, "…" for what only the shell can expand; "" is text
	ok    bool   // false: holds a variable or a substitution of unknown value
	glob  bool   // holds *, ? or [ outside of quotes
}

// is reports whether the word is that text.
func (w word) is(text string) bool { return w.ok && w.text == text }

// flag reports whether the word is an option.
func (w word) flag() bool { return w.ok && len(w.text) > 1 && w.text[0] == '-' }

// asTyped is the word as people read it.
func (w word) asTyped() string {
	if w.typed != "" {
		return w.typed
	}
	return w.text
}

// fields expands words: braces, known variables, quotes. Unknown words keep their place.
func (sh *walker) fields(ws []*syntax.Word) []word {
	out := make([]word, 0, len(ws))
	for _, w := range ws {
		if w == nil {
			continue
		}
		for _, b := range braces(w) {
			out = append(out, sh.field(b))
		}
	}
	return out
}

// braces expands {a,b}; sequences and large products are left as they are.
func braces(w *syntax.Word) []*syntax.Word {
	lit := w.Lit()
	n := strings.Count(lit, "{")
	if n == 0 || n > 3 || strings.Count(lit, ",") > 32 || strings.Contains(lit, "..") || !syntax.SplitBraces(w) {
		return []*syntax.Word{w}
	}
	return expand.Braces(w)
}

func (sh *walker) field(w *syntax.Word) word {
	var b strings.Builder
	out := word{ok: true}
	for i, part := range w.Parts {
		out.typed += partText(part)
		switch x := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(x.Value, "~") {
				out.ok = false
			}
			out.glob = out.glob || strings.ContainsAny(x.Value, "*?[")
			b.WriteString(unescape(x.Value, ""))
		case *syntax.SglQuoted:
			b.WriteString(x.Value)
		case *syntax.DblQuoted:
			for _, q := range x.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					b.WriteString(unescape(lit.Value, "\"\\$`\n"))
				} else {
					out.ok = sh.known(q, &b) && out.ok
				}
			}
		default:
			out.ok = sh.known(part, &b) && out.ok
		}
	}
	out.text = b.String()
	return out
}

// known appends the value of a variable or substitution if it is known.
func (sh *walker) known(part syntax.WordPart, b *strings.Builder) bool {
	switch x := part.(type) {
	case *syntax.ParamExp:
		if x.Param == nil || x.Excl || x.Length || x.Width || x.Index != nil || x.Slice != nil || x.Repl != nil ||
			x.Exp != nil {
			return false
		}
		if x.Param.Value == "PWD" && sh.dir != lost {
			b.WriteString(sh.dir)
			return true
		}
		v, ok := sh.vars[x.Param.Value]
		b.WriteString(v)
		return ok
	case *syntax.CmdSubst:
		sh.substituted(x.Stmts)
	case *syntax.ProcSubst:
		sh.substituted(x.Stmts)
	}
	return false
}

// unescape takes backslashes off: before any character outside of quotes, before those of only within.
func unescape(s, only string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (only == "" || strings.IndexByte(only, s[i+1]) >= 0) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

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
		if w := sh.field(a.Value); w.ok {
			sh.vars[a.Name.Value] = w.text
		}
	}
}

// heredoc is the text of a here-document, variables left out.
func (sh *walker) heredoc(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && b.Len() < MaxLine {
			b.WriteString(lit.Value)
		}
	}
	return event.Clip(b.String(), MaxLine)
}

// spread is a word's values: the files that match it as names relative to dir if it is a pattern.
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

// files are the known files that a word means: by name, by pattern, else the only file whose path ends in it.
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

// expand matches a pattern against the tree, at most event.MaxSeen files, sorted.
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

// target is the path of a file that a command makes or changes: it need not be known.
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
