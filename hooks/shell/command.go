package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// command is a simple command: its name without folders, its words, and where its input comes from.
type command struct {
	name  string
	exe   word // the word with the name; a script may be a file of the repository
	args  []word
	place         // piped also means that it reads a file or a here-document
	xargs bool    // its files come from another command's output
	in    *string // here-document
}

// call walks a simple command.
func (sh *walker) call(x *syntax.CallExpr, at place, in *string) {
	if len(x.Args) == 0 {
		sh.assign(x.Assigns)
		return
	}
	for _, a := range x.Assigns {
		if a.Value != nil {
			sh.field(a.Value) // a command inside of it may read files
		}
	}
	sh.run(command{args: sh.fields(x.Args), place: at, in: in})
}

// maxWraps is the number of wrappers around one command that are followed.
const maxWraps = 8

// run removes wrappers such as sudo from a command, and passes the command to the function that
// knows it.
func (sh *walker) run(c command) {
	for range maxWraps {
		if len(c.args) == 0 {
			return
		}
		c.exe = c.args[0]
		sh.result.unsure = sh.result.unsure || !sh.aside && slices.Contains(diverting, c.exe.text)
		c.name, c.args = base(c.exe.text), c.args[1:]
		if detached[c.name] {
			sh.program(c)
			c.place = place{piped: c.piped} // It is not known what the command runs.
		}
		rest, ok := unwrap(c.name, c.args)
		if !ok {
			break
		}
		c.xargs = c.xargs || c.name == "xargs" || c.name == "parallel"
		c.args = rest
	}
	s := specs()[c.name]
	if s.does != "script" {
		sh.program(c)
	}
	sh.does(c, s)
}

// unwrap returns the words of the wrapped command. ok is false if none exists.
func unwrap(name string, args []word) (rest []word, ok bool) {
	s := specs()[name]
	switch {
	case len(args) == 0 || name == "command" && args[0].flag():
		return nil, false
	case s.does == "run":
		if !args[0].ok || !slices.Contains(s.verbs, args[0].text) {
			return nil, false
		}
		for args = args[1:]; len(args) > 0 && args[0].flag(); args = args[1:] {
		}
		return args, len(args) > 0
	case s.does != "wrap":
		return nil, false
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.is("--"):
			return args[i+1:], i+1 < len(args)
		case a.flag():
			if s.takesValue(a.text) {
				i++
			}
		case name == "env" && a.ok && strings.IndexByte(a.text, '=') > 0:
		case s.skip > 0:
			s.skip--
		default:
			return args[i:], true
		}
	}
	return nil, false
}

// does records what a command does.
func (sh *walker) does(c command, s spec) {
	switch s.does {
	case "quiet":
	case "read":
		sh.read(c, s)
	case "search":
		sh.grep(c, s)
	case "find":
		sh.find(c.args)
	case "fd":
		sh.fd(c.args, s)
	case "list":
		o := s.parse(c.args)
		sh.searched(o.values["-P"], o.ops)
	case "write":
		sh.tee(c, s)
	case "patch":
		sh.patched(c)
	case "cd":
		sh.cd(c.args)
	case "script":
		sh.inner(c)
	case "git":
		sh.git(c)
	case "show":
		sh.shown(c, s)
	case "diff":
		sh.diffed(c, s)
	default:
		sh.result.Self = sh.result.Self || c.name == "aoa"
		sh.started(c)
	}
}

// takesValue reports whether the value of an option is the next word, as in -n 5 and -rn 5, but not
// in -n5 and --lines=5.
func (s spec) takesValue(flag string) bool {
	if name, ok := strings.CutPrefix(flag, "--"); ok {
		return slices.Contains(s.long, name)
	}
	i := strings.IndexAny(flag[1:], s.short)
	return s.short != "" && i >= 0 && i+2 == len(flag)
}

// options has the words of a command, sorted into operands and options.
type options struct {
	ops    []word
	values map[string][]word // the values after "-e" or "--regexp"; nil for an option without a value
}

// parse sorts words into operands and options.
func (s spec) parse(args []word) options {
	o := options{values: map[string][]word{}}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.is("--"):
			o.ops = append(o.ops, args[i+1:]...)
			return o
		case !a.flag():
			o.ops = append(o.ops, a)
		case s.takesValue(a.text) && i+1 < len(args):
			o.letters(a.text, "")
			key := a.text
			if key[1] != '-' {
				key = "-" + key[len(key)-1:]
			}
			i++
			o.values[key] = append(o.values[key], args[i])
		default:
			o.letters(a.text, s.short)
		}
	}
	return o
}

// letters adds an option that has no value in the next word: --name, --name=value, -abc, -n5.
func (o options) letters(flag, short string) {
	if strings.HasPrefix(flag, "--") {
		name, value, has := strings.Cut(flag, "=")
		o.values[name] = append(o.values[name], word{text: value, ok: has})
		return
	}
	for i := 1; i < len(flag); i++ {
		key := "-" + flag[i:i+1]
		if strings.IndexByte(short, flag[i]) >= 0 && i+1 < len(flag) {
			o.values[key] = append(o.values[key], word{text: flag[i+1:], ok: true})
			return
		}
		if _, ok := o.values[key]; !ok {
			o.values[key] = nil
		}
	}
	o.values[flag] = append(o.values[flag], word{})
}

// has reports whether any of these options was given.
func (o options) has(names ...string) bool {
	for _, n := range names {
		if _, ok := o.values[n]; ok {
			return true
		}
	}
	return false
}

// cd changes the working folder. An agent may name the folder in which the line ended instead of
// the one where it began, so after "cd sub" in …/sub the folder stays …/sub.
func (sh *walker) cd(args []word) {
	var to word
	for _, a := range args {
		if a.is("-") || !a.flag() && a.text != "--" {
			to = a
			break
		}
	}
	before := sh.dir
	switch {
	case to.is("-") && sh.prev != "":
		sh.dir = sh.prev
	case !to.ok || to.glob || to.text == "" || to.text == "-":
		sh.dir = lost
	case sh.dir == lost && !index.IsAbs(index.Slash(to.text)):
	default:
		next := sh.Abs(to.text, sh.dir)
		if rel, in := sh.Inside(next); in && rel != "" && !sh.Folder(event.Path(rel)) && strings.HasSuffix(sh.dir,
			"/"+path.Clean(index.Slash(to.text))) {
			next = sh.dir
		}
		sh.dir = next
	}
	sh.prev = before
}

// inner walks the script in bash -c '…' and eval. bash file.sh runs that file.
func (sh *walker) inner(c command) {
	src, script := scriptOf(c)
	if !script || !src.ok || sh.nest >= maxNest {
		sh.program(c)
		if !script || src.ok {
			sh.started(c)
		}
		return
	}
	in := sh.sub()
	in.nest++
	c.alone = false // the status is the shell's
	in.script(src.text, c.place)
}

// scriptOf returns the script that a command got as text. ok is false if none exists.
func scriptOf(c command) (src word, ok bool) {
	if c.name == "eval" {
		src.ok = true
		for i, a := range c.args {
			if src.ok = src.ok && a.ok; i > 0 {
				src.text += " "
			}
			src.text += a.text
		}
		return src, true
	}
	for i, a := range c.args {
		switch {
		case a.flag() && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c") && i+1 < len(c.args):
			return c.args[i+1], true
		case !a.flag():
			return word{}, false
		}
	}
	if c.in != nil {
		return word{text: *c.in, ok: true}, true
	}
	return word{}, false
}
