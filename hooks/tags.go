package hooks

import (
	"maps"
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

// wordTags gives tags by the term of a word in a prompt or a command (see index.Terms).
var wordTags = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for word, tag := range tables()["words"].values {
		for _, term := range index.Terms(word, 1) {
			out[term] = tag
		}
	}
	return out
})

// kindTags gives tags by what the tool does.
var kindTags = map[event.Kind]string{event.KindRead: "reading", event.KindEdit: "editing", event.KindWrite: "editing",
	event.KindSearch: "searching", event.KindRun: "running"}

// tags returns the intent tags of an event: at most MaxTags, each once, without '#'. They are
// ordered: the user's own first, then those by the words of the prompt or command, by the path, by
// the tool, and by the language. The built-in rules are those of tables.txt. words are
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
	for _, pattern := range slices.Sorted(maps.Keys(s.Repo.Tags)) { // the log must not depend on the order of a map
		if hits(pattern, words, files) {
			add(s.Repo.Tags[pattern])
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
		add(tables()["languages"].values[p.Ext()])
	}
	return out
}

func pathTags(p event.Path, add func(string)) {
	base := strings.ToLower(p.Base())
	for _, r := range tables()["names"].rows {
		if ok, _ := path.Match(r.word, base); ok {
			add(r.value)
		}
	}
	dirs := strings.Split(strings.ToLower(p.Dir()), "/")
	for i := len(dirs) - 1; i >= 0; i-- {
		add(tables()["folders"].values[dirs[i]])
	}
}

// hits reports whether a pattern of TagRules means some words or files.
func hits(pattern string, words []string, files []event.Path) bool {
	if word, ok := strings.CutPrefix(pattern, "word:"); ok {
		terms := index.Terms(word, 1)
		return len(terms) == 1 && slices.Contains(words, terms[0])
	}
	return slices.ContainsFunc(files, func(p event.Path) bool { return matchPath(pattern, p) })
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
