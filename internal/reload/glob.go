package reload

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// matchGlob reports whether a name fits a glob as search tools have it: * and ? stay within a folder, ** does not,
// {a,b} is a choice, [a-z] a class; a glob without a slash fits names at any depth. "" fits everything.
func matchGlob(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	anywhere := !strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if anywhere {
		pattern = "**/" + pattern
	}
	return doublestar.MatchUnvalidated(pattern, name)
}

// validGlob reports whether matchGlob understands a glob.
func validGlob(pattern string) bool {
	return len(pattern) <= maxPattern && doublestar.ValidatePattern(pattern)
}
