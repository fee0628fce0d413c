package index

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// bareFiles are usual names of files that have no extension.
var bareFiles = event.WordSet(`Makefile makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Gemfile
	Rakefile Guardfile Procfile Brewfile Podfile Fastfile Justfile justfile Taskfile BUILD WORKSPACE LICENSE README
	CHANGELOG CONTRIBUTING CODEOWNERS`)

// addNames adds the files, modules and identifiers that a line names. A token ends at a space, a
// quote or a bracket.
func (p *textParser) addNames(line string, code bool) {
	quoted := "" // what is left of the text between two backticks, if that is one token
	for at := 0; at < len(line); {
		if delimits(line[at]) {
			if line[at] == '`' && !code {
				quoted = backquoted(line[at+1:])
			}
			at++
			continue
		}
		start := at
		for at < len(line) && !delimits(line[at]) {
			at++
		}
		next := byte(0)
		if at < len(line) {
			next = line[at]
		}
		token := line[start:at]
		p.addToken(token, next == '(', quoted != "" && strings.HasPrefix(quoted, token))
		quoted = ""
	}
}

// backquoted returns the text up to the next backtick. It is "" if there are spaces in between:
// then it is a command or a sentence.
func backquoted(text string) string {
	end := strings.IndexByte(text, '`')
	if end < 0 || strings.ContainsAny(text[:end], " \t") {
		return ""
	}
	return text[:end]
}

func delimits(c byte) bool { return c <= ' ' || strings.IndexByte("\"'`()[]{}<>,;|=*!?^&%~+", c) >= 0 }

// addToken adds the names in one token. called means that a parenthesis follows it, marked that it
// is between backticks.
func (p *textParser) addToken(token string, called, marked bool) {
	token = strings.Trim(strings.ReplaceAll(token, `\`, "/"), ".:#@$")
	if i := strings.Index(token, "://"); i >= 0 {
		p.addAddress(token[i+3:])
		return
	}
	token = WithoutLine(token)
	if len(token) < 2 || len(token) > 256 {
		return
	}
	if flag, found := strings.CutPrefix(token, "--"); found {
		p.addIdentifier(strings.ReplaceAll(flag, "-", "_"), true)
		return
	}
	token, scope, _ := strings.Cut(token, "::") // tests/x.py::test_a, module::path
	ext := path.Ext(token)
	switch {
	case bareFiles[path.Base(token)], len(ext) > 1 && isFileExt(ext) && !called && fileName(token):
		add(&p.Paths, strings.TrimPrefix(token, "./"))
		// io.fits and data.log are modules, although they look like files
		if languages()[ext] != nil || strings.Contains(token, "/") {
			token = ""
		}
	case strings.Contains(strings.Trim(token, "/"), "/"):
		marked = false
	}
	if scope != "" {
		if token != "" {
			token += "::" + scope
		} else {
			token = scope
		}
	}
	p.addParts(token, called, marked)
}

// addParts adds the identifiers of a token, and the whole token if it is a dotted name.
func (p *textParser) addParts(token string, called, marked bool) {
	parts := strings.FieldsFunc(token, func(r rune) bool { return outsideIdentifier(r) && r != '-' || r == '$' })
	if len(parts) == 0 {
		return
	}
	dotted := strings.Contains(token, ".") || strings.Contains(token, "::") || strings.Contains(token, "->") ||
		strings.Contains(token, "#")
	if dotted && !strings.Contains(token, "/") && len(parts) > 1 && isName(parts[0]) && isName(parts[1]) {
		if parts[0] == "self" || parts[0] == "this" || parts[0] == "cls" {
			parts = parts[1:]
		}
		separator := "."
		if strings.Contains(token, "::") {
			separator = "::"
		}
		if len(parts) > 1 && token != "e.g" && token != "i.e" {
			add(&p.Dotted, strings.Join(parts, separator))
		}
	}
	for i, part := range parts {
		code := dotted && i > 0 && len(part) > 1
		called := called && i == len(parts)-1
		if marked { // for example no-member
			p.addIdentifier(strings.ReplaceAll(part, "-", "_"), true)
			continue
		}
		for word, rest, more := strings.Cut(part, "-"); ; word, rest, more = strings.Cut(rest, "-") {
			if p.addIdentifier(word, code || called && !more); !more {
				break
			}
		}
	}
}

// addIdentifier adds a name if it looks like code, or if code says that its place in the text shows
// it to be code.
func (p *textParser) addIdentifier(name string, code bool) {
	if len(name) > maxName || !isName(name) || blockWords[name] || !code && !looksLikeCode(name) {
		return
	}
	if plain := plainIdentifier(name); len(plain) > 2 {
		add(&p.Identifiers, plain)
	}
}

// addAddress adds the path in the web address of a file on a forge such as GitHub.
func (p *textParser) addAddress(address string) {
	address, _, _ = strings.Cut(address, "?")
	address, _, _ = strings.Cut(address, "#")
	if _, file := forgePath(address); file != "" {
		add(&p.Paths, file)
	}
}

// forgePath returns the branch or commit, and the path, in a forge's web address of a file:
// …/blob/main/a/b.py. If it is another kind of address, path is "".
func forgePath(address string) (at, file string) {
	for _, mark := range [...]string{"/blob/", "/tree/", "/raw/", "/blame/"} {
		if _, after, found := strings.Cut(address, mark); found {
			at, file, _ = strings.Cut(after, "/")
			return at, file
		}
	}
	return "", ""
}

// isFileExt reports whether an extension is one of files that are indexed.
func isFileExt(ext string) bool {
	ext = strings.ToLower(ext)
	return languages()[ext] != nil || dataExts[ext] || proseExts[ext] && len(ext) > 2 || binaryExts[ext] ||
		ext == ".proto" || ext == ".zig"
}

// fileName reports whether a token with an extension may be a file, unlike a method such as x.log
// or self.data.
func fileName(token string) bool {
	base := path.Base(token)
	name := strings.TrimSuffix(base, path.Ext(base))
	return name != "" && name != "self" && name != "this" && strings.IndexByte(token, ':') != 0
}

// isName reports whether a text may be a name: it does not begin with a digit.
func isName(s string) bool { return s != "" && (s[0] < '0' || s[0] > '9') }

// add appends an entry to a list, unless the list already has it or is full.
func add(list *[]string, entry string) {
	if len(*list) < maxMentions && !slices.Contains(*list, entry) {
		*list = append(*list, strings.Clone(entry))
	}
}
