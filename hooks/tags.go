package hooks

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// MaxTags is the number of intent tags that one event carries.
const MaxTags = 5

// TagRules are the user's own rules, from the configuration: a path pattern or a word → a tag.
//
//	"billing/"     files below a folder of that name, at any depth; "a/b/" for folders in a row
//	"*_gen.go"     files by name
//	"docs/*.md"    files by whole path; ** stands for any number of folders
//	"word:invoice" prompts and commands with that word
//
// A leading '#' of the tag is taken off.
type TagRules map[string]string

// The rules that come with aOa. Order of the tags of an event: the user's, the words of the prompt or command, what the path
// says, what the tool does, the language.
var (
	// folderTags: a folder anywhere in the path.
	folderTags = map[string]string{
		"test": "testing", "tests": "testing", "testdata": "testing", "spec": "testing", "specs": "testing", "__tests__": "testing",
		"e2e": "testing", "fixtures": "testing",
		"auth": "authentication", "authentication": "authentication", "login": "authentication", "oauth": "authentication",
		"session": "authentication", "sessions": "authentication",
		"db": "database", "database": "database", "migrations": "database", "migration": "database", "models": "database",
		"schema": "database", "sql": "database",
		"docs": "documentation", "doc": "documentation",
		"workflows": "ci", ".circleci": "ci", ".buildkite": "ci", ".ci": "ci", "ci": "ci",
		"deploy": "deploy", "k8s": "deploy", "kubernetes": "deploy", "helm": "deploy", "charts": "deploy", "terraform": "deploy",
		"infra": "deploy", "docker": "deploy",
		"api": "api", "routes": "api", "handlers": "api", "controllers": "api", "endpoints": "api", "proto": "api", "graphql": "api",
		"components": "ui", "ui": "ui", "views": "ui", "pages": "ui", "templates": "ui", "styles": "ui", "frontend": "ui",
		"config": "configuration", "configs": "configuration", "settings": "configuration",
		"cmd": "cli", "cli": "cli", "scripts": "scripting", "bin": "scripting", "hooks": "hooks",
		"security": "security", "crypto": "security", "cache": "caching", "bench": "performance", "benchmarks": "performance",
		"i18n": "translation", "locales": "translation",
	}
	// baseTags: a pattern for the file name, lower case.
	baseTags = []tagRule{
		{"*_test.*", "testing"}, {"test_*", "testing"}, {"*.test.*", "testing"}, {"*.spec.*", "testing"}, {"*_spec.*", "testing"},
		{"*test.java", "testing"}, {"*tests.cs", "testing"}, {"conftest.py", "testing"},
		{"dockerfile*", "deploy"}, {"docker-compose*", "deploy"}, {"*.tf", "deploy"}, {"procfile", "deploy"},
		{".gitlab-ci.yml", "ci"}, {"jenkinsfile", "ci"},
		{"makefile", "build"}, {"*.mk", "build"}, {"cmakelists.txt", "build"}, {"build.gradle*", "build"}, {"justfile", "build"},
		{"go.mod", "dependencies"}, {"go.sum", "dependencies"}, {"package.json", "dependencies"}, {"package-lock.json", "dependencies"},
		{"*.lock", "dependencies"}, {"requirements*.txt", "dependencies"}, {"cargo.toml", "dependencies"}, {"pom.xml",
			"dependencies"}, {"pnpm-lock.yaml", "dependencies"},
		{"*.md", "documentation"}, {"*.rst", "documentation"}, {"*.adoc", "documentation"},
		{"*.sql", "database"}, {"*.proto", "api"}, {"openapi.*", "api"},
		{"*.css", "ui"}, {"*.scss", "ui"}, {"*.html", "ui"},
		{"*config*", "configuration"}, {"*settings*", "configuration"}, {".env*", "configuration"},
		{"*auth*", "authentication"}, {"*login*", "authentication"}, {"*migrat*", "database"}, {"*cache*", "caching"},
	}
	// wordTags: a stemmed word (index.Terms) of a prompt or a command.
	wordTags = map[string]string{
		"bug": "fixing", "broken": "fixing", "crash": "fixing", "fail": "fixing", "failure": "fixing", "error": "fixing",
		"regression": "fixing", "panic": "fixing", "debug": "fixing", "bugfix": "fixing", "hotfix": "fixing", "fixe": "fixing",
		"fixes":    "fixing",
		"refactor": "refactoring", "renam": "refactoring", "rename": "refactoring", "extract": "refactoring",
		"cleanup": "refactoring", "simplify": "refactoring", "restructur": "refactoring", "dedup": "refactoring",
		"test": "testing", "pytest": "testing", "vitest": "testing", "jest": "testing", "coverage": "testing",
		"unittest": "testing", "rspec": "testing",
		"document": "documentation", "doc": "documentation", "readme": "documentation", "changelog": "documentation",
		"docstr":    "documentation",
		"implement": "implementing", "feature": "implementing", "support": "implementing", "create": "implementing",
		"introduc": "implementing", "introduce": "implementing",
		"review": "reviewing", "explain": "explaining", "understand": "explaining",
		"release": "releasing", "publish": "releasing", "version": "releasing", "deploy": "deploy", "docker": "deploy",
		"kubectl": "deploy", "terraform": "deploy", "helm": "deploy",
		"performance": "performance", "slow": "performance", "optimize": "performance", "optimise": "performance",
		"benchmark": "performance", "latency": "performance", "profile": "performance",
		"security": "security", "vulnerability": "security", "auth": "authentication", "login": "authentication",
		"authentication": "authentication", "oauth": "authentication",
		"migration": "database", "database": "database", "sql": "database", "schema": "database",
		"lint": "linting", "golangci": "linting", "eslint": "linting", "prettier": "formatting", "gofmt": "formatting",
		"format": "formatting",
		"build":  "build", "compile": "build", "make": "build", "upgrade": "dependencies", "dependency": "dependencies",
		"bump":     "dependencies",
		"workflow": "ci", "pipeline": "ci", "api": "api", "endpoint": "api", "config": "configuration",
		"configuration": "configuration", "setting": "configuration",
		"commit": "committing", "merge": "merging", "rebase": "merging", "conflict": "merging",
	}
	// kindTags: what the tool does.
	kindTags = map[event.Kind]string{event.KindRead: "reading", event.KindEdit: "editing", event.KindWrite: "editing",
		event.KindSearch: "searching", event.KindRun: "running"}
	// extTags: the language.
	extTags = map[string]string{".go": "go", ".py": "python", ".js": "javascript", ".mjs": "javascript", ".jsx": "javascript",
		".ts": "typescript", ".tsx": "typescript",
		".rs": "rust", ".java": "java", ".kt": "kotlin", ".rb": "ruby", ".php": "php", ".c": "c", ".h": "c", ".cc": "cpp",
		".cpp": "cpp", ".hpp": "cpp",
		".cs": "csharp", ".swift": "swift", ".sh": "shell", ".bash": "shell", ".ps1": "powershell", ".lua": "lua", ".ex": "elixir",
		".exs":   "elixir",
		".scala": "scala", ".zig": "zig", ".dart": "dart", ".vue": "vue", ".svelte": "svelte", ".sql": "sql", ".tf": "terraform",
		".nix": "nix"}
)

type tagRule struct{ pattern, tag string }

// tags are the intent tags of an event: at most MaxTags, each once, without '#'. words are those of the redacted prompt
// or command, the files are those acted upon, else those named.
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
		add(wordTags[w])
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

// sorted puts the rules into an order that does not change from run to run: the log must not depend on it.
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

// matchPath follows the grammar described at TagRules.
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
