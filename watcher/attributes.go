package watcher

import (
	"strconv"
	"strings"
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

// parseAttr reads "pattern attr attr…". Negated patterns are forbidden there, and a pattern for a folder
// matches no file.
func parseAttr(line string, fold bool) (a attrRule, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' || strings.HasPrefix(line, "[attr]") {
		return a, false
	}
	var text, rest string
	if line[0] == '"' {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return a, false
		}
		if text, err = strconv.Unquote(quoted); err != nil {
			return a, false
		}
		rest = line[len(quoted):]
	} else {
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			return a, false
		}
		text, rest = line[:end], line[end:]
	}
	if strings.HasPrefix(text, "!") {
		return a, false
	}
	for _, word := range strings.Fields(rest) {
		name, m := attrMark(word)
		if !attrName(name) {
			return a, false // as git does it
		}
		switch name {
		case "linguist-generated":
			a.generated = m
		case "linguist-vendored":
			a.vendored = m
		}
	}
	if a.generated == unsaid && a.vendored == unsaid {
		return a, false
	}
	a.pattern, ok = pattern{}.finish(text, fold)
	return a, ok
}

func attrMark(word string) (name string, m mark) {
	name, value, has := strings.Cut(word, "=")
	switch {
	case strings.HasPrefix(name, "-"):
		return name[1:], isFalse
	case strings.HasPrefix(name, "!"):
		return name[1:], isUnset
	case has && (value == "false" || value == "0"):
		return name, isFalse
	}
	return name, isTrue
}

func attrName(name string) bool {
	return name != "" && name[0] != '-' && !strings.HasPrefix(name, "builtin_") && strings.Trim(name, attrNameBytes) == ""
}

const attrNameBytes = "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// linguist is what the attributes decide: drop if one of the two is true, keep if one is false, which overrides what
// the name suggests.
func (rs *rules) linguist(d *dirRules, path, base string) opinion {
	var generated, vendored mark
	scan := func(list []attrRule, rel string) {
		for i := len(list) - 1; i >= 0 && (generated == unsaid || vendored == unsaid); i-- {
			a := &list[i]
			if !a.match(rel, base, false) {
				continue
			}
			if generated == unsaid {
				generated = a.generated
			}
			if vendored == unsaid {
				vendored = a.vendored
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
