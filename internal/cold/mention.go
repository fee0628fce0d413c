package cold

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// mentions reports whether an event names the path in any of its lists or in its text.
func mentions(e event.Event, path event.Path) bool {
	found := false
	e.ChangePaths(func(list *[]event.Path) {
		found = found || slices.ContainsFunc(*list, func(p event.Path) bool { return p.Within(path) })
	})
	return found || inText(e.Sealed(), string(path))
}

// withoutPath returns a copy of the event in which the path no longer occurs.
func withoutPath(e event.Event, path event.Path) event.Event {
	e.ChangePaths(func(list *[]event.Path) {
		*list = slices.DeleteFunc(slices.Clone(*list), func(p event.Path) bool { return p.Within(path) })
	})
	if inText(e.Sealed(), string(path)) {
		e.ChangeText(func(text *string, terms *[]string) { *text, *terms = "", nil })
	}
	return e
}

// inText reports whether the text contains the path, and not only as a part of a longer name.
func inText(text, path string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], path)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(path)
		if (from == 0 || !inName(text[from-1])) && (to == len(text) || !inName(text[to]) || text[to] == '/' ||
			text[to] == '.') {
			return true
		}
		at = from + 1
	}
}

// inName reports whether a byte before or after a match may belong to a longer file name.
func inName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
