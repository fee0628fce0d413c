package index

import (
	"bytes"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of what a file defines.
const (
	maxDefinitions = 4096 // names of one file
	minDefinition  = 4    // bytes of a name
	maxReceiver    = 80   // bytes between "func" and the name of a method
	maxModifiers   = 5    // words before the keyword, and the keyword
)

// keywords begin a definition. Those of variables do so only at the beginning of a line (false): further in they name what one
// function uses.
var keywords = map[string]bool{
	"func": true, "def": true, "class": true, "interface": true, "struct": true, "enum": true, "type": true, "fn": true, "function": true,
	"trait": true, "protocol": true, "record": true, "module": true, "object": true, "define": true,
	"const": false, "let": false, "var": false, "val": false, "static": false,
}

// modifiers may come before a keyword.
var modifiers = wordSet(`export default async pub public private protected abstract final unsafe inline internal sealed override declare
	crate extern data open`)

// definitions returns the names that a program text defines, in plain form, each once, in the order of the text, at most 96.
// It looks for keywords at the beginning of lines, in any language.
func definitions(text []byte) []string {
	var names []string
	known := map[string]bool{}
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		name := definedBy(line)
		if len(name) < minDefinition || len(name) > maxIdentifier {
			continue
		}
		if plain := plainIdentifier(string(name)); !known[plain] {
			known[plain] = true
			if names = append(names, plain); len(names) == maxDefinitions {
				break
			}
		}
	}
	return names
}

// definedBy returns the name that a line defines, nil if it defines none.
func definedBy(line []byte) []byte {
	rest := bytes.TrimLeft(line, " \t")
	indented := len(rest) < len(line)
	for range maxModifiers {
		word, after := firstName(rest)
		anywhere, keyword := keywords[string(word)]
		switch {
		case modifiers[string(word)]: // export default async function name
			rest = after
			continue
		case !keyword, indented && !anywhere:
			return nil
		}
		after = bytes.TrimLeft(after, " \t*")
		if len(after) > 0 && after[0] == '(' { // the receiver of a method
			end := bytes.IndexByte(after[:min(len(after), maxReceiver)], ')')
			if end < 0 {
				return nil
			}
			after = bytes.TrimLeft(after[end+1:], " \t*")
		}
		name, _ := firstName(after)
		if _, again := keywords[string(name)]; !again {
			return name
		}
		rest = after // const enum, enum class
	}
	return nil
}

// firstName returns the name that a line begins with, empty if it begins with something else, and what follows it.
func firstName(line []byte) (name, rest []byte) {
	line = bytes.TrimLeft(line, " \t#")
	end := bytes.IndexFunc(line, outsideIdentifier)
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:]
}

// isProse reports whether a file holds prose or data, which define nothing.
func isProse(p event.Path) bool {
	switch strings.ToLower(p.Ext()) {
	case ".md", ".mdx", ".txt", ".rst", ".adoc", ".json", ".lock", ".svg":
		return true
	}
	return false
}
