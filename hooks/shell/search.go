package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// grep records a search: the words of its pattern, the files that it names, and the folders that it
// walks.
func (sh *walker) grep(c command, s spec) {
	o := s.parse(c.args)
	patterns := append(append(slices.Clone(o.values["-e"]), o.values["--regexp"]...), o.values["--iglob"]...)
	ops := o.ops
	if c.name == "rg" && o.has("--files") {
		patterns = append(o.values["-g"], o.values["--glob"]...)
	} else if !o.has("-e", "--regexp", "-f", "--file") && len(ops) > 0 {
		patterns, ops = ops[:1], ops[1:]
	}
	walks := s.walks || o.has("-r", "-R", "--recursive", "--dereference-recursive")
	if len(ops) == 0 && !c.xargs && (!walks || c.piped && !o.has("-r", "-R", "--recursive")) {
		return // it filters another command's output
	}
	sh.searched(patterns, ops)
}

// searched records a search for patterns in files and folders.
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

// named returns the files that a word names. A pattern that matches many files names a place
// instead.
func (sh *walker) named(w word) []event.Path {
	ps := sh.files(w)
	if w.glob && len(ps) > maxNamed {
		return nil
	}
	return ps
}

// near reports whether any of the places may be in a worktree. A search elsewhere does not concern
// this repository.
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

// folderName returns the name of a folder below the root. dir is relative to the shell's folder.
func (sh *walker) folderName(dir string) string {
	abs := sh.Abs(dir, sh.dir)
	if !index.IsAbs(abs) {
		return ""
	}
	return sh.FolderName(abs)
}

// findTests are the tests of find whose value tells what is searched for.
const findTests = " -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname "

// find parses the arguments of find: folders, then tests and actions. Commands that find runs on
// its results are ignored.
func (sh *walker) find(args []word) {
	for len(args) > 0 && args[0].flag() && strings.Contains(" -H -L -P -E -X ", " "+args[0].text+" ") {
		args = args[1:]
	}
	test := slices.IndexFunc(args, func(w word) bool { return w.flag() || w.is("(") || w.is("!") })
	if test < 0 {
		test = len(args)
	}
	var patterns []word
	rest := args[test:]
	for i := 1; i < len(rest); i++ {
		denied := i > 1 && (rest[i-2].is("!") || rest[i-2].is("-not"))
		if rest[i-1].flag() && strings.Contains(findTests, " "+rest[i-1].text+" ") && !denied {
			rest[i].glob = false
			patterns = append(patterns, rest[i])
		}
	}
	sh.searched(patterns, args[:test])
}

// fd parses the arguments of fd: a pattern, then folders. Commands that fd runs on its results are
// ignored.
func (sh *walker) fd(args []word, s spec) {
	runs := slices.IndexFunc(args, func(w word) bool {
		return w.is("-x") || w.is("-X") || w.is("--exec") || w.is("--exec-batch")
	})
	if runs >= 0 {
		args = args[:runs]
	}
	o := s.parse(args)
	ops := o.ops
	patterns := append(slices.Clone(o.values["-e"]), o.values["--extension"]...)
	if len(ops) > 0 {
		patterns, ops = append(patterns, ops[0]), ops[1:]
	}
	sh.searched(patterns, ops)
}

// gitOptions are the options with a value that may precede the git command.
var gitOptions = spec{short: "Cc", long: []string{"git-dir", "work-tree", "namespace"}}

// git handles the git commands that read, search or move files. All others count as run.
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
		if gitOptions.takesValue(args[0].text) && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 || !args[0].ok {
		return
	}
	old := sh.dir
	sh.dir = dir
	defer func() { sh.dir = old }()
	verb := args[0].text
	s := specs()["git-"+verb]
	c.name, c.args, c.piped = "git "+verb, args[1:], c.piped && s.does != "search"
	sh.does(c, s)
}

// shown records the content of a file at a revision ("HEAD:path") or with the authors of its lines;
// otherwise a commit.
func (sh *walker) shown(c command, s spec) {
	o := s.parse(c.args)
	found := false
	for _, w := range o.ops {
		_, name, ok := strings.Cut(w.text, ":")
		if c.name == "git blame" || c.name == "git annotate" {
			name, ok = w.text, w.ok
		}
		if !ok || !w.ok {
			continue
		}
		last := index.Root // "rev:path" is relative to the top, "rev:./path" to the folder
		if strings.HasPrefix(name, "./") {
			last = index.Exact
		}
		if p, at := sh.Find(name, index.Exact, last, sh.dir); at != index.None {
			found = true
			sh.note(Op{Kind: event.KindRead, Paths: []event.Path{p}})
		}
	}
	if !found {
		sh.diffed(c, s)
	}
}

// diffed records that changes are shown: those of the files that the command names, or a list of
// changed files.
func (sh *walker) diffed(c command, s spec) {
	o := s.parse(c.args)
	a := Op{Kind: event.KindRun, Words: c.name}
	a.Listing = c.name == "git status" || o.has("--stat", "--name-only", "--name-status", "--numstat", "--shortstat",
		"--raw",
		"--summary", "--dirstat")
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

// started records a command that is run. The files that it names count as named, and its input is
// searched for commands.
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
		a.Named = append(a.Named, sh.Mentions(*c.in, false, sh.dir)...)
	}
	a.Words = strings.Join(words, " ")
	a.Listing = c.name == "wc" || listed(c.args)
	sh.note(a)
}

// listed reports whether options ask for names instead of content, in the way of git and gh.
func listed(args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		return w.is("--name-only") || w.is("--name-status") || w.is("--stat") || w.is("--files-with-matches")
	})
}
