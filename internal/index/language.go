package index

import (
	_ "embed"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/internal/event"
)

//go:embed languages.yaml
var languagesYAML []byte

// language describes the comments and definitions of a programming language: its row in
// languages.yaml, and functions for rules that words cannot express. The rules work on lines:
// keywords, modifiers and indentation. They miss definitions with an unusual layout, but cost far
// less than a parser.
type language struct {
	row
	comments                     []string
	keywords                     map[string]int // words that begin a definition, with the columns that may precede them
	modifiers, standard, members map[string]bool

	more func(d *definer, line definingLine) // finds definitions in another way
	// imports reads the imports of a line. If nil, imports of this language are not known.
	imports func(im *importer, number int, code, raw []byte)
	targets func(f files, from event.Path, module string) []event.Path // the files that an import may mean
}

// row is a language in languages.yaml, which explains each field.
type row struct {
	Exts, Comments, Open, Close, Raw, Joins string
	Anywhere, Member, Top, Modifiers        string
	Standard, Members                       string
	Triples, Refers, Typed, Global          bool
}

// The largest numbers of columns that may precede a keyword of a row's fields, so that other files can
// use the name after it.
const anywhere, member, top = 1 << 30, 4, 0

// The languages that have functions of their own, or that these functions know.
var (
	golang = &language{more: (*definer).golang, imports: (*importer).golang, targets: files.goPackage}
	python = &language{more: (*definer).python, imports: (*importer).python, targets: files.pythonModule}
	script = &language{more: (*definer).script, imports: (*importer).script, targets: files.scriptModule}
	rust   = &language{imports: (*importer).rust, targets: files.rustModule}
	java   = &language{more: (*definer).java, imports: (*importer).java, targets: files.javaClass}
	csharp = &language{more: (*definer).csharp}
	kotlin = &language{imports: (*importer).java, targets: files.javaClass}
	php    = &language{more: (*definer).php, imports: (*importer).php, targets: files.phpClass}
	ruby   = &language{more: (*definer).ruby, imports: (*importer).ruby, targets: files.rubyFile}
	clike  = &language{more: (*definer).c, imports: (*importer).c, targets: files.header}
	dart   = &language{more: (*definer).java}
	styles = &language{imports: (*importer).styles, targets: files.styleSheet}
	elixir = &language{}
	hashed = &language{}
	others = &language{}
)

// languages maps an extension to its language. A test checks that the rows can be read.
var languages = sync.OnceValue(func() map[string]*language {
	var rows map[string]row
	if err := yaml.Unmarshal(languagesYAML, &rows); err != nil {
		panic(err)
	}
	known := map[string]*language{"go": golang, "python": python, "script": script, "rust": rust, "java": java,
		"csharp": csharp, "kotlin": kotlin, "php": php, "ruby": ruby, "c": clike, "dart": dart, "styles": styles, "elixir": elixir,
		"hashed": hashed, "others": others}
	all := map[string]*language{}
	for name, r := range rows {
		lang := known[name]
		if lang == nil {
			lang = &language{}
		}
		lang.row, lang.comments, lang.keywords = r, strings.Fields(r.Comments), map[string]int{}
		lang.modifiers, lang.standard, lang.members = event.WordSet(r.Modifiers), event.WordSet(r.Standard),
			event.WordSet(r.Members)
		for columns, list := range map[int]string{anywhere: r.Anywhere, member: r.Member, top: r.Top} {
			for word := range strings.FieldsSeq(list) {
				lang.keywords[word] = columns
			}
		}
		for ext := range strings.FieldsSeq(r.Exts) {
			all[ext] = lang
		}
	}
	return all
})

// languageOf returns the language of a file, nil for data and documents.
func languageOf(p event.Path) *language {
	ext := p.Ext()
	if lang := languages()[ext]; lang != nil {
		return lang
	}
	base := strings.ToLower(p.Base())
	switch {
	case base == "cmakelists.txt":
		return hashed
	case dataExts[ext], proseExts[ext], dataNames[base], proseNames[base]:
		return nil
	case ext == "", ext == base, strings.HasPrefix(base, "dockerfile"), strings.HasPrefix(base, "makefile"):
		return hashed // Makefile, Dockerfile, a script without extension
	}
	return others
}

// family returns the language that represents l and its relatives: files of one family can use each
// other's names.
func (l *language) family() *language {
	if l == kotlin {
		return java
	}
	return l
}

// modules reports whether the language says for each name from which file it comes, and lets a file
// pass on the names of other files as its own.
func (l *language) modules() bool { return l == python || l == script }

// explicit reports whether the language makes names of another file usable only by an import.
func (l *language) explicit() bool { return l.modules() || l == rust }
