package index

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Text is everything in a prompt, an issue or a commit message that helps to find files. Lists are
// in the order of the text and have each entry once.
type Text struct {
	Title []Count // the words of the first line that has any, by stem
	Body  []Count // the words of the whole text, the title included, without the boilerplate of forms

	// Scope has the words in front of a title that tell its subject: parser in "fix(parser): …",
	// "parser: …" and "[parser] …".
	Scope []Count

	Pairs [][2]string // stems that follow each other in a line; words without a stem are skipped

	Identifiers      []string // names that look like code, in plain form: see Document.Defines
	TitleIdentifiers []string // the identifiers in the title
	// Frames lists files in stack traces, from the innermost frame on, and in the output of
	// compilers and tests.
	Frames []string
	Dotted []string // names such as a.b.c and module::path, as they are written
	Paths  []string // names of files as they are written, without line numbers, with slashes

	Words int // number of all words in the body
}

// Count is a stem with its number of occurrences in a text.
type Count struct {
	Stem string
	N    int
}

// Limits for reading a text.
const (
	maxText     = 128 << 10 // bytes that are read
	maxMentions = 512       // entries of each list
	maxFrames   = 256
)

// ParseText reads a text of at most 128 KB, and the beginning of a longer one.
func ParseText(text string) Text {
	text = comment.ReplaceAllString(event.Clip(text, maxText), "")
	var p textParser
	p.body, p.title = map[string]int{}, map[string]int{}
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			continue
		}
		p.frames.line(line)
		if trimmed == "" || boilerplate(trimmed, !p.titled, fenced) {
			continue
		}
		p.line(line, fenced || len(line)-len(trimmed) >= 4 || line[0] == '\t')
	}
	p.Frames = p.frames.ordered()
	p.Title, p.Body = counts(p.title), counts(p.body)
	return p.Text
}

// comment matches an HTML comment, as in issue templates. A comment that never ends is cut at the
// end of its line.
var comment = regexp.MustCompile(`(?s)<!--.*?-->|<!--[^\n]*`)

// formHeadings are the headings of issue forms and the standard sentences in them.
var formHeadings = func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.FieldsFuncSeq(wordLists["form headings"], func(r rune) bool { return r == '|' || r == '\n' }) {
		set[strings.TrimSpace(line)] = true
	}
	return set
}()

var (
	// packageLine matches a line that lists a package with its version: numpy==1.2.1, pytest 6.2.4.
	packageLine = LazyRegexp(`^[-* ]*[A-Za-z][\w.\-]*(?:==|\s{2,}|\s*@\s*)v?\d+(?:\.\d+)+\S*$`)
	// versionLine matches a line that tells which version of something was used: Python version:
	// 3.8, OS: Mac, Node 18.2.0. Compiling it takes a millisecond, so this is done only when it is
	// needed.
	versionLine = LazyRegexp(`(?i)^[-*> ]*(?:[\w .\-/()]{2,40}:\W*v?\d+(?:\.\d+)+[\w.+\-]*(?:\s.{0,40})?|\w[\w.\-]* v?\d+(?:\.\d+)+|` +
		`\W*(?:os|platform|operating system|browser|extra tools|sphinx extensions|python implementation)(?: version)?\W*:.{0,80})$`)
	trailer = LazyRegexp(`^(?:[A-Z][a-z]+(?:-[A-Za-z]+)*-by:|Change-Id:|Cc:|PiperOrigin-RevId|\(?cherry picked from commit)`)
	// traceLine matches a line that only announces a stack trace.
	traceLine = LazyRegexp(`^(?:panic: runtime error: |goroutine \d+ \[|\[signal SIG|Traceback \(most recent call last\)|` +
		`During handling of the above exception, another|The above exception was the direct cause)`)
	tag = regexp.MustCompile(`^</?(?:details|summary|p|br|img|hr)\b[^>]*>$`)
)

// boilerplate reports whether a line says nothing about the subject of a text: a heading of a form,
// a checkbox, a version, a trailer of a commit, or the beginning of a stack trace. While the title
// is looked for, only headings and beginnings of traces are skipped; in code, only beginnings of
// traces and lists of packages are.
func boilerplate(line string, title, fenced bool) bool {
	if traceLine().MatchString(line) {
		return true
	}
	if fenced {
		return packageLine().MatchString(line)
	}
	heading := strings.ToLower(strings.Trim(line, " #*_:?.!-=>\t"))
	if title {
		return heading == "" || formHeadings[heading] && strings.IndexByte("#*-", line[0]) >= 0
	}
	if heading == "" || formHeadings[heading] || strings.HasPrefix(line, "- [") && len(line) > 4 && line[4] == ']' {
		return true
	}
	return trailer().MatchString(line) || tag.MatchString(line) ||
		strings.ContainsAny(line, "0123456789:") && (packageLine().MatchString(line) || versionLine().MatchString(line))
}

// counts returns the words of a map as a list, sorted by stem.
func counts(words map[string]int) []Count {
	list := make([]Count, 0, len(words))
	for _, stem := range slices.Sorted(maps.Keys(words)) {
		list = append(list, Count{stem, words[stem]})
	}
	return list
}

// textParser collects the words and names from the lines of a text.
type textParser struct {
	Text
	title, body map[string]int
	titled      bool // the title has been read
	frames      frameParser
}

func (p *textParser) line(line string, code bool) {
	names := len(p.Identifiers)
	p.addNames(line, code)
	first, last := !p.titled, ""
	for run := range strings.FieldsFuncSeq(line, outsideIdentifier) {
		for word := range split(run, false) {
			for part := range ideographs(word) {
				p.Words++
				stem := textStem(part)
				if stem == "" {
					continue
				}
				p.body[stem]++
				p.addPair(last, stem)
				last = stem
				if first {
					p.titled = true
					p.title[stem]++
				}
			}
		}
	}
	if first && p.titled {
		p.TitleIdentifiers = slices.Clone(p.Identifiers[names:])
		p.Scope = scopeOf(strings.TrimSpace(line))
	}
}

// addPair adds two stems that follow each other.
func (p *textParser) addPair(last, stem string) {
	pair := [2]string{last, stem}
	if last != "" && last != stem && len(p.Pairs) < maxMentions && !slices.Contains(p.Pairs, pair) {
		p.Pairs = append(p.Pairs, pair)
	}
}

// scope matches the part of a title in front of a colon, in parentheses or in brackets that tells
// its subject.
var scope = LazyRegexp(`^(?:\w+\(([^)]{2,50})\)!?:|\[([^\]]{2,40})\]|([\w./*,{}-]+(?: [\w./*,{}-]+){0,2}):\s)`)

// scopeOf returns the words that tell the subject of a title. The type of a change, as in "fix: …",
// does not count.
func scopeOf(title string) []Count {
	m := scope().FindStringSubmatch(title)
	if m == nil {
		return nil
	}
	of := m[1] + m[2] + m[3]
	if m[1] == "" && changeTypes[strings.ToLower(of)] {
		return nil
	}
	stems := map[string]int{}
	for stem := range stemsOf(of) {
		stems[stem]++
	}
	return counts(stems)
}

var changeTypes = wordSet("types of changes")

// LazyRegexp returns a function that compiles a regular expression when it is first called. Compiling
// takes up to a millisecond, and most runs of the program need none.
func LazyRegexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
