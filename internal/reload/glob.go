package reload

import (
	"errors"
	"regexp"
	"strings"
)

// glob makes the test of a glob as searching tools have it: * and ? stay within a folder, ** does not, {a,b} is a
// choice, [a-z] a class; one without a slash fits names at any depth. "" fits everything.
func glob(pattern string) (func(name string) bool, error) {
	switch {
	case pattern == "":
		return func(string) bool { return true }, nil
	case len(pattern) > maxPattern:
		return nil, errors.New("glob too long")
	}
	anywhere := !strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	var b strings.Builder
	b.WriteString("^")
	if anywhere {
		b.WriteString("(?:.*/)?")
	}
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			depth++
			b.WriteString("(?:")
		case c == '}' && depth > 0:
			depth--
			b.WriteString(")")
		case c == ',' && depth > 0:
			b.WriteString("|")
		case c == '[':
			end := strings.IndexByte(pattern[i+1:], ']')
			if end < 1 {
				b.WriteString(`\[`)
				continue
			}
			class := pattern[i+1 : i+1+end]
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(class, `\`, `\\`) + "]")
			i += end + 1
		case c == '\\' && i+1 < len(pattern):
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString("$")
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}
