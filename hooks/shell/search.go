package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// greps are the commands that search in files: their options with a value, and whether they walk folders
// without being told to.
var greps = map[string]struct {
	short, long string
	walks       bool
}{
	"grep": {short: "ABCmefdD", long: grepLong}, "egrep": {short: "ABCmefdD", long: grepLong}, "fgrep": {short: "ABCmefdD", long: grepLong}, "ggrep": {short: "ABCmefdD", long: grepLong},
	"zgrep": {short: "ABCmef"}, "ugrep": {short: "ABCmefgtO", long: grepLong}, "pcregrep": {short: "ABC"},
	"rg":  {short: "ABCmefgtTjMrdE", long: "glob iglob type type-not type-add max-count max-depth regexp file replace sort sortr threads after-context before-context context color colors max-columns engine pre", walks: true},
	"ag":  {short: "ABCmGp", long: "ignore ignore-dir depth file-search-regex", walks: true},
	"ack": {short: "ABCm", long: "type ignore-dir", walks: true},
	"sls": {}, "findstr": {}, "Select-String": {},
}

const grepLong = "include exclude exclude-dir exclude-from max-count context after-context before-context regexp file label binary-files devices directories"

// grep is a search: the pattern's words, the files it names, the folders it walks.
func (sh *walker) grep(c command, spec struct {
	short, long string
	walks       bool
}) {
	o := parseArgs(c.args, spec.short, spec.long)
	patterns := append(append(slices.Clone(o.values["-e"]), o.values["--regexp"]...), o.values["--iglob"]...)
	ops := o.ops
	if c.name == "rg" && o.has("--files") {
		patterns = append(o.values["-g"], o.values["--glob"]...)
	} else if !o.has("-e", "--regexp", "-f", "--file") && len(ops) > 0 {
		patterns, ops = ops[:1], ops[1:]
	}
	walks := spec.walks || o.has("-r", "-R", "--recursive", "--dereference-recursive")
	if len(ops) == 0 && !c.xargs && (!walks || c.piped && !o.has("-r", "-R", "--recursive")) {
		return // a filter on another command's output
	}
	sh.searched(patterns, ops)
}

// searched notes a search for patterns in the files and folders of places.
func (sh *walker) searched(patterns, places []word) {
	a := Op{Kind: event.KindSearch, Listing: true}
	var words, where []string
	for _, p := range patterns {
		if p.text != "" {
			words = append(words, p.text)
		}
	}
	a.Pattern = strings.Join(words, " ")
	for _, w := range places {
		ps := sh.named(w)
		a.Named = append(a.Named, ps...)
		if w.glob {
			w.text = path.Dir(w.text)
		}
		if len(ps) == 0 && w.ok {
			where = append(where, sh.folderName(w.text))
			a.Dirs = append(a.Dirs, sh.Abs(w.text, sh.dir))
		}
	}
	if len(places) == 0 {
		a.Dirs = append(a.Dirs, sh.dir)
	}
	a.Words = strings.Join(where, " ")
	if len(places) > 0 && len(a.Named) == 0 && !sh.near(places) {
		a = Op{Kind: event.KindRun, Words: a.Pattern}
	}
	sh.note(a)
}

// named are the files that a word names. A pattern that matches many names a place, not files.
func (sh *walker) named(w word) []event.Path {
	ps := sh.files(w)
	if w.glob && len(ps) > maxNamed {
		return nil
	}
	return ps
}

// near reports whether any of the places may lie in a worktree: a search elsewhere is none of this repository.
func (sh *walker) near(places []word) bool {
	for _, w := range places {
		if strings.HasPrefix(w.text, "~") {
			continue
		}
		if _, in := sh.Inside(sh.Abs(w.text, sh.dir)); in || !w.ok {
			return true
		}
	}
	return false
}

// folderName is a folder's name below the root, relative to the shell's folder.
func (sh *walker) folderName(dir string) string {
	abs := sh.Abs(dir, sh.dir)
	if !index.IsAbs(abs) {
		return ""
	}
	return sh.FolderName(abs)
}

// findTests are the tests of find whose value says what is looked for.
const findTests = " -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname "

// find takes folders, then tests and actions; -exec runs a command on what was found.
func (sh *walker) find(c command) {
	i := 0
	for i < len(c.args) && (c.args[i].flag() && strings.Contains(" -H -L -P -E -X ", " "+c.args[i].text+" ")) {
		i++
	}
	start := i
	for i < len(c.args) && !c.args[i].flag() && !c.args[i].is("(") && !c.args[i].is("!") {
		i++
	}
	places, rest := c.args[start:i], c.args[i:]
	var patterns []word
	var exec []command
	for j := 0; j < len(rest); j++ {
		switch {
		case rest[j].flag() && strings.Contains(findTests, " "+rest[j].text+" ") && j+1 < len(rest):
			if j == 0 || !rest[j-1].is("!") && !rest[j-1].is("-not") {
				patterns = append(patterns, rest[j+1])
			}
			j++
		case rest[j].is("-exec") || rest[j].is("-execdir") || rest[j].is("-ok"):
			end := j + 1
			for end < len(rest) && !rest[end].is(";") && !rest[end].is("+") {
				end++
			}
			exec = append(exec, command{args: rest[j+1 : end], xargs: true})
			j = end
		}
	}
	for k := range patterns {
		patterns[k].glob = false
	}
	sh.searched(patterns, places)
	for _, e := range exec {
		sh.run(e)
	}
}

// fd takes a pattern, then folders.
func (sh *walker) fd(c command) {
	args, exec := c.args, []word(nil)
	for i, a := range args {
		if a.is("-x") || a.is("-X") || a.is("--exec") || a.is("--exec-batch") {
			args, exec = args[:i], args[i+1:]
			break
		}
	}
	o := parseArgs(args, "eEtdSoj", "extension exclude type max-depth min-depth size owner changed-within changed-before base-directory")
	ops := o.ops
	patterns := append(slices.Clone(o.values["-e"]), o.values["--extension"]...)
	if len(ops) > 0 {
		patterns, ops = append(patterns, ops[0]), ops[1:]
	}
	sh.searched(patterns, ops)
	if len(exec) > 0 {
		sh.run(command{args: exec, xargs: true})
	}
}

// list is ls and its like.
func (sh *walker) list(c command) {
	short := "Iw"
	if c.name == "tree" {
		short = "LIPo"
	}
	if c.name == "du" {
		short = "d"
	}
	o := parseArgs(c.args, short, "ignore level max-depth")
	sh.searched(o.values["-P"], o.ops)
}

// git knows the commands of git that read, search and move; the others count as run.
func (sh *walker) git(c command) {
	args := c.args
	dir := sh.dir
	for len(args) > 0 && args[0].flag() {
		if args[0].is("-C") && len(args) > 1 {
			dir = lost
			if args[1].ok {
				dir = sh.Abs(args[1].text, sh.dir)
			}
		}
		if takesValue(args[0].text, "Cc", "git-dir work-tree namespace") && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 || !args[0].ok {
		return
	}
	verb := args[0].text
	old := sh.dir
	sh.dir = dir
	defer func() { sh.dir = old }()
	c.args = args[1:]
	switch verb {
	case "grep":
		spec := greps["grep"]
		spec.short, spec.walks, c.piped = "ABCmefO", true, false
		sh.grep(c, spec)
	case "ls-files", "ls-tree":
		sh.searched(nil, parseArgs(c.args, "xX", "exclude").ops)
	case "mv":
		sh.move(parseArgs(c.args, "", "").ops)
	case "rm":
		if !parseArgs(c.args, "", "").has("--cached") {
			sh.remove(parseArgs(c.args, "", "").ops)
		}
	case "show", "cat-file", "blame", "annotate":
		sh.shown(verb, c)
	case "apply", "am":
		sh.patched(c)
	case "diff", "log", "status", "shortlog", "whatchanged", "diff-tree", "stash":
		sh.diffed(verb, c)
	default:
		c.name = "git " + verb
		sh.started(c)
	}
}

// shown is a file's content at a revision ("HEAD:path"), or line by line with its authors; else a commit.
func (sh *walker) shown(verb string, c command) {
	o := parseArgs(c.args, "LnO", "format pretty")
	found := false
	for _, w := range o.ops {
		_, name, ok := strings.Cut(w.text, ":")
		if verb == "blame" || verb == "annotate" {
			name, ok = w.text, w.ok
		}
		if !ok || !w.ok {
			continue
		}
		p, known := sh.Known(name, sh.dir)
		if !known && !strings.HasPrefix(name, "./") {
			// "rev:path" is relative to the top.
			p, known = event.Path(name), sh.Has(event.Path(name))
		}
		if known {
			found = true
			sh.note(Op{Kind: event.KindRead, Paths: []event.Path{p}})
		}
	}
	if !found {
		sh.diffed(verb, c)
	}
}

// diffed shows changes: of the files it names, or a list of changed files.
func (sh *walker) diffed(verb string, c command) {
	o := parseArgs(c.args, "nSGLUO", "format pretty since until author grep")
	a := Op{Kind: event.KindRun, Words: "git " + verb}
	a.Listing = verb == "status" || o.has("--stat", "--name-only", "--name-status", "--numstat", "--shortstat", "--raw", "--summary", "--dirstat")
	for _, key := range []string{"-S", "-G", "--grep"} {
		for _, w := range o.values[key] {
			a.Words += " " + w.text
		}
	}
	for _, w := range o.ops {
		ps := sh.named(w)
		a.Named = append(a.Named, ps...)
		if len(ps) == 0 && w.ok && strings.Contains(w.text, "/") {
			a.Words += " " + sh.folderName(w.text)
		}
	}
	sh.note(a)
}

// started is a command that is run: what it names is named, what it is fed with is looked through.
func (sh *walker) started(c command) {
	a := Op{Kind: event.KindRun}
	words := []string{c.name}
	if strings.ContainsAny(c.exe.text, `/\`) {
		a.Named = sh.files(c.exe)
	}
	for _, w := range c.args {
		if !w.ok {
			continue
		}
		text := w.text
		if w.flag() {
			if _, value, ok := strings.Cut(text, "="); ok {
				text = value
			}
		} else {
			words = append(words, text)
		}
		name, _, _ := strings.Cut(text, "::")
		switch ps := sh.named(word{text: name, ok: true, glob: w.glob}); {
		case len(ps) > 0:
			a.Named = append(a.Named, ps...)
		case strings.ContainsAny(text, " \n(:"):
			a.Named = append(a.Named, sh.Mentions(text, false, sh.dir)...)
		}
	}
	if c.in != nil {
		a.Named = append(a.Named, sh.Mentions(c.in.body, false, sh.dir)...)
	}
	a.Words = strings.Join(words, " ")
	a.Listing = c.name == "wc" || listed(c.args)
	sh.note(a)
}

// listed reports whether options ask for names instead of content, as git and gh have them.
func listed(args []word) bool {
	for _, w := range args {
		if w.ok && (w.text == "--name-only" || w.text == "--name-status" || w.text == "--stat" || w.text == "--files-with-matches") {
			return true
		}
	}
	return false
}
