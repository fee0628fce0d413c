package watcher

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitattributes"
)

// attrRule is a line of a .gitattributes file that sets one of linguist's two attributes.
type attrRule struct {
	pattern
	generated, vendored mark
}

// mark is what a line sets one attribute to.
type mark uint8

const (
	unsaid  mark = iota
	isTrue       // "linguist-generated", "linguist-generated=true"
	isFalse      // "-linguist-generated", "linguist-generated=false"
	isUnset      // "!linguist-generated": as if no line named it
)

func readAttrs(name string, fold bool) []attrRule {
	text := readRules(name)
	if !strings.Contains(text, "linguist-") {
		return nil
	}
	var out []attrRule
	for line := range strings.SplitSeq(text, "\n") {
		if a, ok := parseAttr(line, fold); ok {
			out = append(out, a)
		}
	}
	return out
}

// dashed matches "-attr=value" and "!attr=value", where git ignores the value and go-git refuses the line.
var dashed = regexp.MustCompile(`([ \t][-!][^ \t=]+)=[^ \t]*`)

// parseAttr reads "pattern attr attr…" as go-git does. Negated patterns are forbidden there, and a pattern for a folder
// matches no file.
func parseAttr(line string, fold bool) (a attrRule, ok bool) {
	parsed, err := gitattributes.ParseAttributesLine(dashed.ReplaceAllString(line, "$1"), nil, false)
	if err == nil && strings.HasPrefix(strings.TrimSpace(line), `"`) { // go-git leaves the escapes
		parsed.Name, err = strconv.Unquote(`"` + parsed.Name + `"`)
	}
	if err != nil || strings.HasPrefix(parsed.Name, "!") {
		return a, false
	}
	for _, attr := range parsed.Attributes {
		m := isTrue
		switch {
		case attr.IsUnset(), attr.Value() == "false", attr.Value() == "0":
			m = isFalse
		case attr.IsUnspecified():
			m = isUnset
		}
		switch attr.Name() {
		case "linguist-generated":
			a.generated = m
		case "linguist-vendored":
			a.vendored = m
		}
	}
	if a.generated == unsaid && a.vendored == unsaid {
		return a, false
	}
	a.pattern, ok = pattern{}.finish(parsed.Name, fold)
	return a, ok
}

// linguist is what the attributes decide: drop if one of the two is true, keep if one is false, which overrides what
// the name suggests.
func (rs *rules) linguist(d *dirRules, path, base string) opinion {
	var generated, vendored mark
	scan := func(list []attrRule, rel string) {
		for i := len(list) - 1; i >= 0; i-- {
			if a := &list[i]; a.match(rel, base, false) {
				generated, vendored = cmp.Or(generated, a.generated), cmp.Or(vendored, a.vendored)
			}
		}
	}
	scan(rs.attrs, path)
	for ; d != nil; d = d.parent {
		scan(d.attrs, path[d.skip:])
	}
	switch {
	case generated == isTrue || vendored == isTrue:
		return drop
	case generated == isFalse || vendored == isFalse:
		return keep
	}
	return silent
}
