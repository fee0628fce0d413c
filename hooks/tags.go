package hooks

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// MaxTags is the largest number of intent tags of one event.
const MaxTags = 5

// TagRules are the user's own rules, from the settings. They map a path pattern or a word to a tag.
//
//	"billing/"     files below a folder with this name, at any depth; "a/b/" for nested folders
//	"*_gen.go"     files by name
//	"docs/*.md"    files by whole path; ** stands for any number of folders
//	"word:invoice" prompts and commands with this word
//
// A '#' at the beginning of the tag is removed.
type TagRules map[string]string

// The built-in rules. Each line has a tag and the words or patterns that give it. The tags of an
// event are ordered: the user's own first, then those by the words of the prompt or command, by the
// path, by the tool, and by the language.
var (
	// folderTags gives tags by the name of any folder in the path.
	folderTags = lookup(`
testing         test tests testdata spec specs __tests__ e2e fixtures
authentication  auth authentication login oauth
database        db database migrations migration models schema sql
documentation   docs doc
ci              workflows .circleci .buildkite .ci ci
deploy          deploy k8s kubernetes helm charts terraform infra docker
api             api routes handlers controllers endpoints proto graphql
ui              components ui views pages templates styles frontend
configuration   config configs settings
cli             cmd cli
scripting       scripts bin
hooks           hooks
security        security crypto
caching         cache
performance     bench benchmarks
translation     i18n locales`)
	// baseTags gives tags by patterns for the base name in lower case, in the order of the tags.
	baseTags = tagRules(`
testing         *_test.* test_* *.test.* *.spec.* *_spec.* *test.java *tests.cs conftest.py
deploy          dockerfile* docker-compose* *.tf procfile
ci              .gitlab-ci.yml jenkinsfile
build           makefile *.mk cmakelists.txt build.gradle* justfile
dependencies    go.mod go.sum package.json package-lock.json *.lock requirements*.txt cargo.toml pom.xml pnpm-lock.yaml
documentation   *.md *.rst *.adoc
database        *.sql
api             *.proto openapi.*
ui              *.css *.scss *.html
configuration   *config* *settings* .env*
authentication  auth.* auth[\-_]* *[\-_]auth.* *[\-_]auth[\-_]* *oauth* *authn* *authz* *authent* *authoriz* *login*
database        *migrat*
caching         *cache*`)
	// wordTags gives tags by the term of a word in a prompt or a command.
	wordTags = sync.OnceValue(func() map[string]string {
		return byTerm(lookup(`
fixing          bug broken crash fail failure error regression panic debug bugfix hotfix fixes
refactoring     refactor rename extract cleanup simplify restructure dedup
testing         test pytest vitest jest coverage unittest rspec
documentation   document doc readme changelog docstring
implementing    implement feature support create introduce
reviewing       review
explaining      explain understand
releasing       release publish version
deploy          deploy docker kubectl terraform helm
performance     performance slow optimize optimise benchmark latency profile
security        security vulnerability
authentication  auth login authentication oauth
database        migration database sql schema
linting         lint golangci eslint
formatting      prettier gofmt format
build           build compile
dependencies    upgrade dependency bump
ci              workflow pipeline
api             api endpoint
configuration   config configuration setting
committing      commit
merging         merge rebase conflict`))
	})
	// kindTags gives tags by what the tool does.
	kindTags = map[event.Kind]string{event.KindRead: "reading", event.KindEdit: "editing", event.KindWrite: "editing",
		event.KindSearch: "searching", event.KindRun: "running"}
	// extTags gives tags by the language of a file.
	extTags = lookup(`
go: .go; python: .py; javascript: .js .mjs .jsx; typescript: .ts .tsx; rust: .rs; java: .java; kotlin: .kt; ruby: .rb
php: .php; c: .c .h; cpp: .cc .cpp .hpp; csharp: .cs; swift: .swift; shell: .sh .bash; powershell: .ps1; lua: .lua
elixir: .ex .exs; scala: .scala; zig: .zig; dart: .dart; vue: .vue; svelte: .svelte; sql: .sql
terraform: .tf; nix: .nix`)
)

// byTerm replaces the words of a table by their terms (see index.Terms).
func byTerm(words map[string]string) map[string]string {
	out := map[string]string{}
	for word, tag := range words {
		for _, term := range index.Terms(word, 1) {
			out[term] = tag
		}
	}
	return out
}

// tagRules parses a table like lookup, but keeps its order.
func tagRules(table string) (out []tagRule) {
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		for _, pattern := range words[min(len(words), 1):] {
			out = append(out, tagRule{pattern, words[0]})
		}
	}
	return out
}

type tagRule struct{ pattern, tag string }

// tags returns the intent tags of an event: at most MaxTags, each once, without '#'. words are
// those of the redacted prompt or command; files are those acted upon, or else those named.
func (s *CallContext) tags(kind event.Kind, words []string, files []event.Path) []string {
	var out []string
	add := func(tag string) {
		tag = strings.TrimSpace(strings.TrimLeft(tag, "#"))
		if tag != "" && len(out) < MaxTags && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	files = files[:min(len(files), 3)]
	for _, rule := range s.Repo.Tags.sorted() {
		if rule.hits(words, files) {
			add(rule.tag)
		}
	}
	for _, w := range words {
		add(wordTags()[w])
	}
	for _, p := range files {
		pathTags(p, add)
	}
	add(kindTags[kind])
	for _, p := range files {
		add(extTags[p.Ext()])
	}
	return out
}

func pathTags(p event.Path, add func(string)) {
	base := strings.ToLower(p.Base())
	for _, rule := range baseTags {
		if ok, _ := path.Match(rule.pattern, base); ok {
			add(rule.tag)
		}
	}
	dirs := strings.Split(strings.ToLower(p.Dir()), "/")
	for i := len(dirs) - 1; i >= 0; i-- {
		add(folderTags[dirs[i]])
	}
}

// sorted returns the rules in a fixed order, so that the log does not depend on the order of a map.
func (r TagRules) sorted() []tagRule {
	if len(r) == 0 {
		return nil
	}
	out := make([]tagRule, 0, len(r))
	for pattern, tag := range r {
		out = append(out, tagRule{pattern, tag})
	}
	slices.SortFunc(out, func(a, b tagRule) int { return strings.Compare(a.pattern, b.pattern) })
	return out
}

func (r tagRule) hits(words []string, files []event.Path) bool {
	if word, ok := strings.CutPrefix(r.pattern, "word:"); ok {
		terms := index.Terms(word, 1)
		return len(terms) == 1 && slices.Contains(words, terms[0])
	}
	for _, p := range files {
		if matchPath(r.pattern, p) {
			return true
		}
	}
	return false
}

// matchPath implements the patterns that are described at TagRules.
func matchPath(pattern string, p event.Path) bool {
	if dir, ok := strings.CutSuffix(pattern, "/"); ok {
		return dir != "" && strings.Contains("/"+p.Dir()+"/", "/"+strings.Trim(dir, "/")+"/")
	}
	if !strings.Contains(pattern, "/") {
		ok, _ := path.Match(pattern, p.Base())
		return ok
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "/"), string(p))
}
