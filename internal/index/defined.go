package index

import (
	"bytes"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of what a file defines.
const (
	maxDefined  = 96 // names kept of a file
	minDefined  = 4  // bytes of a name
	definers    = 6  // a name that more files define tells none of them
	maxReceiver = 80 // bytes of what may stand between "func" and the name of a method
)

// introduces are the words that a definition begins with. Those of variables count at the beginning of a line only: further
// in they name what one function uses.
var introduces = map[string]bool{"func": true, "def": true, "class": true, "interface": true, "struct": true, "enum": true,
	"type": true, "fn": true, "function": true, "trait": true, "protocol": true, "record": true, "module": true, "object": true, "define": true,
	"const": false, "let": false, "var": false, "val": false, "static": false}

// defined finds the names that a program text defines, in plain form, in order, at most maxDefined.
func defined(text []byte) []string {
	var out []string
	known := map[string]bool{}
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		rest := bytes.TrimLeft(line, " \t")
		indented := len(rest) < len(line)
		for range 5 { // export default async function name
			word, after := firstName(rest)
			if len(word) == 0 {
				break
			}
			anywhere, introducing := introduces[string(word)]
			if !introducing {
				if !modifier[string(word)] {
					break
				}
				rest = after
				continue
			}
			if !anywhere && indented {
				break
			}
			after = bytes.TrimLeft(after, " \t*")
			if len(after) > 0 && after[0] == '(' { // the receiver of a method
				end := bytes.IndexByte(after[:min(len(after), maxReceiver)], ')')
				if end < 0 {
					break
				}
				after = after[end+1:]
			}
			name, _ := firstName(bytes.TrimLeft(after, " \t*"))
			if _, again := introduces[string(name)]; again { // const enum, enum class
				rest = after
				continue
			}
			if len(name) >= minDefined && len(name) <= maxIdent {
				if n := plainIdent(string(name)); !known[n] {
					known[n] = true
					out = append(out, n)
				}
			}
			break
		}
		if len(out) == maxDefined {
			break
		}
	}
	return out
}

var modifier = map[string]bool{"export": true, "default": true, "async": true, "pub": true, "public": true, "private": true, "protected": true,
	"abstract": true, "final": true, "unsafe": true, "inline": true, "internal": true, "sealed": true, "override": true, "declare": true, "crate": true, "extern": true, "data": true, "open": true}

// firstName is the name that a line begins with, "" if it begins with something else, and what follows it.
func firstName(line []byte) (name, rest []byte) {
	line = bytes.TrimLeft(line, " \t#")
	end := bytes.IndexFunc(line, notIdent)
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:]
}

// Defining finds the n files that define one of the names (in plain form), each worth 1/(files that define it).
func (c *Contents) Defining(names []string, n int) []Found {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t := c.tally()
	for i, name := range names {
		users := c.defs.having(name, definers)
		for _, u := range users {
			t.add(u.of(), i, 1/float64(len(users)))
		}
	}
	return t.best(n, names)
}

// Called finds the n files that define what a file uses, each name worth 1/(files that define it).
func (c *Contents) Called(p event.Path, n int) []Found {
	c.mu.RLock()
	defer c.mu.RUnlock()
	self, known := c.files[p]
	if !known {
		return nil
	}
	t := c.tally()
	idents := c.said[self].idents
	names := make([]string, len(idents))
	for i, use := range idents {
		names[i] = c.idents.names[use.of()]
		users := c.defs.having(names[i], definers)
		for _, u := range users {
			if u.of() != self {
				t.add(u.of(), i, 1/float64(len(users)))
			}
		}
	}
	return t.best(n, names)
}

// Size is how many words a file says, 0 if it is not known.
func (c *Contents) Size(p event.Path) float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if n, known := c.files[p]; known {
		return c.said[n].size
	}
	return 0
}

func proseFile(p event.Path) bool {
	switch strings.ToLower(p.Ext()) {
	case ".md", ".mdx", ".txt", ".rst", ".adoc", ".json", ".lock", ".svg":
		return true
	}
	return false
}
