package index

import (
	"bytes"
	"path"
	"strings"
)

// maxImport is the largest number of lines of one import.
const maxImport = 300

// importer collects the imports of a program.
type importer struct {
	lang *language
	out  []importing
	open *importing // an import that continues on the next line
	// In Python: the open import ends at a parenthesis, not at the first line without a backslash.
	inParens bool
	exports  bool   // in scripts: the open import begins with export
	text     []byte // the text of the open import so far; in Rust also the path of the next module
}

// importsIn returns the imports of a program.
func importsIn(lang *language, text []byte) []importing {
	im := importer{lang: lang}
	if lang.imports == nil {
		return nil
	}
	for number, l := range codeLines(lang, text, nil) {
		im.line(number, l)
	}
	return im.out
}

func (im *importer) line(number int, l codeLine) {
	if form := im.lang.imports; form != nil && len(bytes.TrimSpace(l.code)) > 0 {
		form(im, number, l.code, l.raw)
		if im.open != nil && number-im.open.line > maxImport {
			im.open = nil
		}
	}
}

func (im *importer) add(i importing) {
	if i.module != "" {
		im.out = append(im.out, i)
	}
}

// list adds the names of "a, b as c" to an import.
func (i *importing) list(text string, line int, as string) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimPrefix(strings.Trim(part, " \t(){};\\"), "type ")
		switch name, local := renamed(part, as); {
		case name == "*" && local != "*": // import * as x
			i.names = append(i.names, importedName{"", local, line})
		case name == "*":
			i.all = true
		case name != "":
			i.names = append(i.names, importedName{name, local, line})
		}
	}
}

// renamed returns a name and the one that it gets in the importing file, as in "a as b". If it gets no
// other name, both are equal.
func renamed(text, as string) (name, local string) {
	name, local, found := strings.Cut(text, as)
	if name = strings.TrimSpace(name); !found {
		return name, name
	}
	return name, strings.TrimSpace(local)
}

func (im *importer) python(number int, code, _ []byte) {
	code, _, _ = bytes.Cut(bytes.TrimSpace(code), []byte{';'})
	if im.open == nil {
		if rest, found := bytes.CutPrefix(code, []byte("import ")); found {
			for part := range strings.SplitSeq(string(rest), ",") {
				module, local := renamed(part, " as ")
				if local == module {
					local, _, _ = strings.Cut(module, ".")
				}
				im.add(importing{line: number, module: module, names: []importedName{{"", local, number}}})
			}
			return
		}
		from, found := bytes.CutPrefix(code, []byte("from "))
		module, rest, imports := bytes.Cut(from, []byte(" import "))
		if !found || !imports {
			return
		}
		im.open = &importing{line: number, module: string(bytes.TrimSpace(module))}
		code, im.inParens = rest, bytes.HasPrefix(bytes.TrimSpace(rest), []byte("("))
	}
	im.open.list(string(code), number, " as ")
	if im.inParens && bytes.HasSuffix(bytes.TrimRight(code, " "), []byte(")")) ||
		!im.inParens && !bytes.HasSuffix(code, []byte("\\")) {
		im.add(*im.open)
		im.open = nil
	}
}

var (
	fromModule = LazyRegexp(`\bfrom\s*['"]([^'"]+)['"]`)
	loadModule = LazyRegexp(`\b(?:require|import)\s*\(\s*['"` + "`" + `]([^'"` + "`" + `]+)['"` + "`" + `](?:\s*\)\s*\.\s*([\w$]+))?`)
	bareModule = LazyRegexp(`^\s*import\s*['"]([^'"]+)['"]`)
)

func (im *importer) script(number int, code, raw []byte) {
	text := bytes.TrimSpace(code)
	statement := (bytes.HasPrefix(text, []byte("import")) || bytes.HasPrefix(text, []byte("export"))) &&
		!bytes.Contains(text, []byte("require("))
	if im.open == nil && statement && len(text) > 6 && bytes.IndexByte([]byte(" {*'\""), text[6]) >= 0 {
		if m := bareModule().FindSubmatch(raw); m != nil {
			im.add(importing{line: number, module: string(m[1])})
			return
		}
		text = im.scriptBegins(number, text[6:], text[0] == 'i')
	}
	switch {
	case im.open != nil:
		im.scriptNames(number, text, code, raw)
	case bytes.Contains(code, []byte("require")), bytes.Contains(code, []byte("import")):
		im.scriptLoads(number, code, raw)
	}
}

// scriptBegins opens an import or an export of other names, given the text after that word. It returns the
// text of its names.
func (im *importer) scriptBegins(number int, text []byte, imports bool) []byte {
	if word, after := identifier(bytes.TrimLeft(text, " ")); string(word) == "type" {
		text = after
	}
	text = bytes.TrimLeft(text, " ")
	if imports || len(text) > 0 && (text[0] == '{' || text[0] == '*') {
		im.open, im.exports = &importing{line: number}, !imports
	}
	if name, after := identifier(text); imports && len(name) > 0 {
		im.open.names = []importedName{{"", string(name), number}} // the default export has no name of its own
		text = after
	}
	return text
}

// scriptNames reads a line of the open import.
func (im *importer) scriptNames(number int, text, code, raw []byte) {
	at := bytes.Index(code, []byte("from"))
	if m := fromModule().FindSubmatch(raw); m != nil && at >= 0 {
		im.open.module, im.open.line = string(m[1]), number
		text = bytes.TrimSpace(text[:max(0, bytes.LastIndex(text, []byte("from")))])
	}
	im.open.list(strings.NewReplacer("{", ",", "}", ",").Replace(string(text)), number, " as ")
	if im.open.module != "" {
		im.add(*im.open)
		im.open = nil
	} else if bytes.HasSuffix(text, []byte(";")) || bytes.IndexByte(text, '=') >= 0 ||
		im.exports && bytes.IndexByte(text, '}') >= 0 {
		im.open = nil
	}
}

// scriptLoads reads the calls of require and import in a line.
func (im *importer) scriptLoads(number int, code, raw []byte) {
	left, _, assigns := strings.Cut(string(code), "=")
	for _, word := range [...]string{"const ", "let ", "var ", "import "} {
		left = strings.TrimPrefix(strings.TrimSpace(left), word)
	}
	left = strings.TrimSpace(left)
	for _, m := range loadModule().FindAllSubmatch(raw, 4) {
		i := importing{line: number, module: string(m[1])}
		switch name := string(m[2]); {
		case name != "": // require("./module").name
			i.names = []importedName{{name, left, number}}
		case !assigns:
		case strings.HasPrefix(left, "{"):
			i.list(left, number, ":")
		default:
			i.names = []importedName{{"", left, number}}
		}
		im.add(i)
	}
}

func (im *importer) golang(number int, code, raw []byte) {
	text := bytes.TrimSpace(raw)
	if bytes.HasPrefix(code, []byte("import ")) {
		if text = bytes.TrimSpace(raw[len("import "):]); bytes.HasPrefix(text, []byte("(")) {
			im.open = &importing{line: number}
			return
		}
	} else if im.open == nil {
		return
	} else if text[0] == ')' {
		im.open = nil
		return
	}
	before, after, _ := bytes.Cut(text, []byte{'"'})
	module, _, found := bytes.Cut(after, []byte{'"'})
	if local := string(bytes.TrimSpace(before)); found {
		if local == "" {
			if local = path.Base(string(module)); versionDir().MatchString(local) {
				local = path.Base(path.Dir(string(module)))
			}
		}
		im.add(importing{line: number, module: string(module), names: []importedName{{"", local, number}}, all: local == "."})
	}
}

// versionDir matches the last element of a Go module path, as in v2.
var versionDir = LazyRegexp(`^v\d+$`)

// java reads the imports of Java and Kotlin.
func (im *importer) java(number int, code, _ []byte) {
	rest, found := bytes.CutPrefix(bytes.TrimSpace(code), []byte("import "))
	if !found {
		return
	}
	text := strings.TrimPrefix(strings.Trim(string(rest), " ;"), "static ")
	module, local := renamed(text, " as ")
	name := module[strings.LastIndexByte(module, '.')+1:]
	if local == module {
		local = name
	}
	module = strings.TrimSuffix(module, ".*")
	i := importing{line: number, module: module, all: name == "*"}
	if !i.all {
		i.names = []importedName{{name, local, number}}
	}
	im.add(i)
}

// rustPath finds the attribute that says in which file the next module is.
var rustPath = LazyRegexp(`^\s*#\[.*\bpath\s*=\s*"([^"]+)"`)

func (im *importer) rust(number int, code, raw []byte) {
	text := bytes.TrimSpace(code)
	if im.open == nil {
		for _, word := range [...]string{"pub(crate) ", "pub(super) ", "pub "} {
			text = bytes.TrimPrefix(text, []byte(word))
		}
		if text[0] == '#' {
			if m := rustPath().FindSubmatch(raw); m != nil {
				im.text = m[1]
			}
			return
		}
		inFile := im.text
		im.text = nil
		if rest, found := bytes.CutPrefix(text, []byte("mod ")); found && bytes.HasSuffix(rest, []byte(";")) {
			module := "mod::" + string(bytes.Trim(rest, " ;"))
			if inFile != nil {
				module = "path::" + string(inFile)
			}
			im.add(importing{line: number, module: module})
			return
		}
		rest, found := bytes.CutPrefix(text, []byte("use "))
		if !found {
			return
		}
		im.open, text = &importing{line: number}, rest
	}
	im.text = append(im.text, text...)
	module, _, _ := strings.Cut(string(im.text), "{")
	im.open.module = strings.Trim(module, " ;:")
	for word := range names(text) {
		im.open.names = append(im.open.names, importedName{string(word), string(word), number})
	}
	im.open.all = im.open.all || bytes.IndexByte(text, '*') >= 0
	if bytes.HasSuffix(text, []byte(";")) {
		im.add(*im.open)
		im.open, im.text = nil, nil
	}
}

func (im *importer) c(number int, code, raw []byte) {
	text, directive := bytes.CutPrefix(bytes.TrimSpace(code), []byte{'#'})
	rest, found := bytes.CutPrefix(bytes.TrimLeft(text, " \t"), []byte("include"))
	if directive && found && len(rest) > 0 {
		_, after, _ := bytes.Cut(raw, []byte{'"'})
		if name, _, found := bytes.Cut(after, []byte{'"'}); found {
			im.add(importing{line: number, module: string(name), all: true})
		}
	}
}

var (
	rubyRequire = LazyRegexp(`^\s*(require_relative|require|autoload\s*\(?\s*:\w+,)\s*\(?\s*['"]([^'"]+)['"]`)
	phpRequire  = LazyRegexp(`\b(?:require|include)(?:_once)?\b[^'"]*['"]/?([^'"]+\.php)['"]`)
)

func (im *importer) ruby(number int, code, raw []byte) {
	if word, _ := identifier(bytes.TrimLeft(code, " \t")); string(word) != "require_relative" &&
		string(word) != "require" && string(word) != "autoload" {
		return
	}
	if m := rubyRequire().FindSubmatch(raw); m != nil {
		module := string(m[2])
		if string(m[1]) == "require_relative" && !strings.HasPrefix(module, ".") {
			module = "./" + module
		}
		im.add(importing{line: number, module: module, all: true})
	}
}

func (im *importer) php(number int, code, raw []byte) {
	code = bytes.TrimSpace(code)
	rest, uses := bytes.CutPrefix(code, []byte("use "))
	if !uses && (bytes.Contains(code, []byte("require")) || bytes.Contains(code, []byte("include"))) {
		if m := phpRequire().FindSubmatch(raw); m != nil {
			im.add(importing{line: number, module: "./" + string(m[1]), all: true})
		}
	}
	if !uses || bytes.IndexByte(rest, '(') >= 0 { // function () use ($x)
		return
	}
	text := strings.TrimPrefix(strings.TrimPrefix(strings.Trim(string(rest), " ;"), "function "), "const ")
	prefix, group, grouped := strings.Cut(text, "{")
	if !grouped {
		prefix, group = "", text
	}
	for part := range strings.SplitSeq(strings.Trim(group, "} "), ",") {
		written, local := renamed(part, " as ")
		module := strings.Trim(prefix+written, `\`)
		name := module[strings.LastIndexByte(module, '\\')+1:]
		if local == written {
			local = name
		}
		im.add(importing{line: number, module: module, names: []importedName{{name, local, number}}})
	}
}

var (
	styleImport = LazyRegexp(`^\s*@(?:use|forward|import)\b`)
	styleName   = LazyRegexp(`['"]([^'"]+)['"]`)
)

// styles reads the imports of CSS, Sass and Less, of which a line may have several.
func (im *importer) styles(number int, code, raw []byte) {
	if !styleImport().Match(code) {
		return
	}
	for _, m := range styleName().FindAllSubmatch(raw, 8) {
		im.add(importing{line: number, module: string(m[1]), all: true})
	}
}
