package event

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Path is a file of the repository: relative to the root of the worktree and inside of it, clean, with forward slashes, in the
// letter case that git has. The zero Path is no path. Make one with NewPath or Root.Path only.
type Path string

// ErrPath is wrapped by every error of NewPath.
var ErrPath = errors.New("not a path of the repository")

// MaxPath is the longest path, in bytes, that enters the store (PATH_MAX on Linux).
const MaxPath = 4096

// NewPath makes a Path of a name relative to the repository, with forward slashes, as git prints it. Names that are not UTF-8 keep
// their bytes: git allows them, and a replaced byte would name another file. The error wraps ErrPath.
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

// Base returns the file name.
func (p Path) Base() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// Ext returns the extension with its dot, in lower case, "" if there is none.
func (p Path) Ext() string { return strings.ToLower(path.Ext(p.Base())) }

// Stem returns what the name of a file shares with that of its test: the base in lower case without extensions and test markers
// ("rank_test.go" and "rank.go" → "rank", "a.spec.ts" → "a", "test_b.py" → "b", "FooTest.java" → "foo").
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

// commonStems are names that every folder may have: two files of such a name have nothing to do with each other.
var commonStems = wordSet("index doc readme __init__ __main__ mod lib main util utils helper helpers common types constants config " +
	"errors license changelog makefile dockerfile setup conftest package page layout route style styles skill")

// PairStem is what two files share that belong to each other by name, as a file and its test, or a source and its header: the stem,
// and where it is a common one, the folder before it.
func (p Path) PairStem() string {
	stem := p.Stem()
	if commonStems[stem] {
		return p.Dir() + "/" + stem
	}
	return stem
}

// Display returns the path for a terminal or an agent: control characters and bytes that are not UTF-8 are escaped, so that a
// hostile file name can neither move a cursor nor break a line.
func (p Path) Display() string {
	clean := true
	for _, r := range string(p) {
		if r < 0x20 || r == 0x7f || r == utf8.RuneError || (r >= 0x80 && r < 0xa0) || isFormat(r) {
			clean = false
			break
		}
	}
	if clean {
		return string(p)
	}
	var b strings.Builder
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(string(p[i:]))
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, `\x%02x`, p[i])
			n = 1
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case (r >= 0x80 && r < 0xa0) || isFormat(r) || r == utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// isFormat reports whether a character is a bidirectional or zero-width control, which makes one name look like another.
func isFormat(r rune) bool {
	return (r >= 0x200b && r <= 0x200f) || (r >= 0x2028 && r <= 0x202e) || (r >= 0x2060 && r <= 0x2069) || r == 0xfeff
}

// Root is the absolute path of a worktree, with symlinks resolved.
type Root string

// Path makes a Path of a file name in the form of the operating system, absolute or relative to the worktree. ok is false if the
// name is outside of the worktree. It reads nothing from disk: resolve symbolic links before if they matter.
func (r Root) Path(name string) (p Path, ok bool) {
	if name == "" {
		return "", false
	}
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

// Paths converts strings to paths without a check: for names from a store that holds only checked paths.
func Paths(ss []string) []Path {
	out := make([]Path, len(ss))
	for i, s := range ss {
		out[i] = Path(s)
	}
	return out
}
