package event

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Path is a file of the repository: relative to the root of the worktree and inside of it, clean,
// with forward slashes, and in the letter case of git. The zero Path names no file. Paths are made
// only by NewPath and Root.Path.
type Path string

// ErrPath is wrapped by every error of NewPath.
var ErrPath = errors.New("not a path of the repository")

// MaxPath is the longest path, in bytes, that enters the store (PATH_MAX on Linux).
const MaxPath = 4096

// NewPath returns the Path for a name relative to the repository, with forward slashes, as git
// prints it. Names that are not UTF-8 keep their bytes: git allows them, and replacing a byte would
// name another file. The error wraps ErrPath.
func NewPath(s string) (Path, error) {
	switch {
	case s == "" || s == ".":
		return "", fmt.Errorf("%w: empty", ErrPath)
	case len(s) > MaxPath:
		return "", fmt.Errorf("%w: %d bytes long", ErrPath, len(s))
	case strings.IndexByte(s, 0) >= 0:
		return "", fmt.Errorf("%w: contains a NUL", ErrPath)
	case s[0] == '/':
		return "", fmt.Errorf("%w: absolute", ErrPath)
	}
	c := path.Clean(s)
	if c == "." || c == ".." || strings.HasPrefix(c, "../") {
		return "", fmt.Errorf("%w: leaves the repository", ErrPath)
	}
	if c == ".git" || strings.HasPrefix(c, ".git/") {
		return "", fmt.Errorf("%w: inside .git", ErrPath)
	}
	return Path(c), nil
}

// Dir returns the folder of the path, "" for the root.
func (p Path) Dir() string {
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		return string(p[:i])
	}
	return ""
}

// Within reports whether the path is a folder's path or is below it.
func (p Path) Within(folder Path) bool {
	rest, found := strings.CutPrefix(string(p), string(folder))
	return found && (rest == "" || rest[0] == '/')
}

// Base returns the file name.
func (p Path) Base() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// Ext returns the extension with its dot, in lower case, or "" without one.
func (p Path) Ext() string { return strings.ToLower(path.Ext(p.Base())) }

// Stem returns what the names of a file and of its test have in common: the base name in lower
// case, without extensions and marks of tests ("rank_test.go" and "rank.go" → "rank", "a.spec.ts" →
// "a", "test_b.py" → "b", "FooTest.java" → "foo").
func (p Path) Stem() string {
	s := p.Base()
	if i := strings.IndexByte(s[min(1, len(s)):], '.'); i >= 0 {
		s = s[:i+1]
	}
	for _, suffix := range []string{"_test", "-test", "_spec", "-spec", "Tests", "Test", "Spec"} {
		if len(s) > len(suffix) && strings.HasSuffix(s, suffix) {
			s = s[:len(s)-len(suffix)]
			break
		}
	}
	s = strings.TrimPrefix(s, "test_")
	return strings.ToLower(s)
}

// commonStems are names that every folder may have. Two files with such a name need not be related.
var commonStems = WordSet("index doc readme __init__ __main__ mod lib main util utils helper helpers common types " +
	"constants config errors license changelog makefile dockerfile setup conftest package page layout route style " +
	"styles skill")

// PairStem returns what two files have in common that belong together by name, such as a file and
// its test, or a source and its header. It is the stem, preceded by the folder if many folders have
// a file with that stem.
func (p Path) PairStem() string {
	stem := p.Stem()
	if commonStems[stem] {
		return p.Dir() + "/" + stem
	}
	return stem
}

// Display returns the path for a terminal or an agent. Control and invisible characters and bytes
// that are not UTF-8 are escaped, so that a hostile file name can neither move the cursor nor break
// a line nor look like another name.
func (p Path) Display() string {
	if !strings.ContainsFunc(string(p), func(r rune) bool { return !Visible(r) }) {
		return string(p)
	}
	return p.escaped(Visible)
}

// Quoted returns the path for use in a sentence: unchanged if it has only letters, digits and usual
// signs, else in quotation marks. A name without a folder that reads like a sentence gets "./" in
// front, so that readers see that it is a file.
func (p Path) Quoted() string {
	if p == "" || strings.ContainsFunc(string(p), func(r rune) bool { return !ordinary(r) }) {
		return Quote(string(p))
	}
	words := strings.FieldsFunc(string(p), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) > maxWords && !strings.Contains(string(p), "/") {
		return "./" + string(p)
	}
	return string(p)
}

// Quote returns a foreign text in quotation marks. It escapes everything that could end the
// quotation or could be taken for more than text.
func Quote(text string) string {
	return `"` + Path(text).escaped(func(r rune) bool {
		return r == ' ' || Visible(r) && !unicode.IsSpace(r) && !strings.ContainsRune(quoting, r)
	}) + `"`
}

// ShellWord returns a text as one word of a command line that a person may paste into a shell:
// unchanged if it has only letters, digits and signs without a meaning for shells, else in single
// quotes. A text that looks like an option gets "./" in front. A text that no one can type, for
// example with a control character, becomes "…".
func ShellWord(text string) string {
	if strings.HasPrefix(text, "-") {
		text = "./" + text
	}
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_./:@%+=,-", r)
	}
	switch {
	case Path(text).Display() != text:
		return "…"
	case text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }):
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// quoting has the characters that end a quotation or a tag, or begin an escape.
const quoting = "\"`\\<>“”„«»＂"

// escaped returns the path with escapes for all characters for which shown is false.
func (p Path) escaped(shown func(rune) bool) string {
	var b strings.Builder
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(string(p[i:]))
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, `\x%02x`, p[i])
			n = 1
		case shown(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// Visible reports whether a printed character can be seen. It is false for control characters,
// bidirectional and zero-width format characters, tags, variation selectors, blanks that count as
// letters, and the replacement for bytes that are not UTF-8.
func Visible(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return r != utf8.RuneError && r != '\u2800' && !unicode.Is(unicode.C, r) && !unicode.In(r, unicode.Zl,
		unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// ordinary reports whether a character in a path cannot be mistaken for the end of the path.
func ordinary(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !strings.ContainsRune("\"'`\\<>:;,!?*|", r)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) && Visible(r)
}

// Limits for names that an agent is shown without asking.
const (
	maxMentioned = 120 // bytes
	maxName      = 80  // bytes of the base name or of one folder
	maxSpaces    = 3
	maxWords     = 3 // in a name without a folder
)

// Mentionable reports whether an agent may be shown the path without asking for it. No repository
// needs names that are as long as a paragraph or read like a sentence, and a model could follow the
// instruction in such a name.
func (p Path) Mentionable() bool {
	if p == "" || len(p) > maxMentioned || strings.ContainsRune(string(p), '`') {
		return false
	}
	for name := range strings.SplitSeq(string(p), "/") {
		if len(name) > maxName {
			return false
		}
	}
	spaces, before := 0, false
	for _, r := range string(p) {
		space := unicode.IsSpace(r)
		if space && before {
			return false
		}
		if before = space; space {
			spaces++
		}
	}
	return spaces <= maxSpaces
}

// Root is the absolute path of a worktree, with symlinks resolved.
type Root string

// Path returns the Path for a file name in the form of the operating system, absolute or relative
// to the worktree. ok is false if the name is outside of the worktree. It reads nothing from disk,
// so resolve symbolic links first if they matter.
func (r Root) Path(name string) (p Path, ok bool) {
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(string(r), filepath.Clean(name))
		if err != nil {
			return "", false
		}
		name = rel
	}
	p, err := NewPath(filepath.ToSlash(name))
	return p, err == nil
}

// Abs returns the absolute path in the form of the operating system.
func (r Root) Abs(p Path) string { return filepath.Join(string(r), filepath.FromSlash(string(p))) }

// Strings converts paths to strings.
func Strings(ps []Path) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = string(p)
	}
	return out
}

// PathSet returns a set of paths.
func PathSet(ps []Path) map[Path]bool {
	out := make(map[Path]bool, len(ps))
	for _, p := range ps {
		out[p] = true
	}
	return out
}
