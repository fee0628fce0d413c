package index

import (
	"bytes"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

const MaxFileSize = 1 << 20

type Kind uint8

const (
	Source Kind = iota
	Test
	Prose
	Data
	Binary
	kinds
)

type Document struct {
	Size                     int
	Body, Definitions, Prose map[string]int
	Defines, Uses            []string
	Kind                     Kind
}

func KindOf(p event.Path) Kind {
	s := strings.ToLower(string(p))
	base := s[strings.LastIndexByte(s, '/')+1:]
	switch p.Ext() {
	case ".md", ".mdx", ".rst", ".txt", ".adoc":
		return Prose
	case ".json", ".lock", ".yaml", ".yml", ".toml", ".csv", ".svg", ".cfg", ".ini", ".xml", ".ipynb", ".html", ".snap":
		return Data
	case ".png", ".jpg", ".gif", ".ico", ".pdf", ".fits":
		return Binary
	}
	for _, d := range strings.Split(s, "/")[:strings.Count(s, "/")] {
		switch d {
		case "test", "tests", "testing", "spec", "__tests__", "testdata", "e2e", "fixtures":
			return Test
		}
	}
	if strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || base == "conftest.py" ||
		strings.HasSuffix(base, "test.java") || strings.HasSuffix(base, "test.kt") || strings.HasSuffix(base, "tests.cs") || strings.HasSuffix(base, "_spec.rb") || strings.HasSuffix(base, "test.php") || strings.HasSuffix(base, "tests.swift") {
		return Test
	}
	return Source
}

func Extract(p event.Path, text []byte) Document {
	d := Document{Body: map[string]int{}, Definitions: map[string]int{}, Prose: map[string]int{}, Kind: KindOf(p)}
	if len(text) > MaxFileSize || bytes.IndexByte(text, 0) >= 0 {
		return d
	}
	if !isProse(p) {
		d.Defines = definitions(text)
	}
	known := map[string]bool{}
	for _, n := range d.Defines {
		known[n] = true
	}
	parts := map[string][]string{}
	for token := range bytes.FieldsFuncSeq(text, outsideIdentifier) {
		if len(token) < 2 || len(token) > maxIdentifier {
			continue
		}
		terms, have := parts[string(token)]
		if !have {
			terms = stems(string(token))
			parts[string(token)] = terms
			if len(terms) > 1 && len(token) >= minIdentifier {
				if n := plainIdentifier(string(token)); !known[n] {
					known[n] = true
					d.Uses = append(d.Uses, n)
				}
			}
		}
		for _, t := range terms {
			d.Body[t]++
			d.Size++
		}
	}
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		if name := definedBy(line); len(name) >= 2 && !isProse(p) {
			for _, t := range stems(string(name)) {
				d.Definitions[t]++
			}
		}
		if t := bytes.TrimSpace(line); len(t) > 2 && (t[0] == '#' || t[0] == '/' || t[0] == '*') {
			for _, w := range stems(string(t)) {
				d.Prose[w]++
			}
		}
	}
	return d
}

func Stem(w string) string { return root(w) }

func stems(text string) (out []string) {
	for w := range split(text, false) {
		w = strings.ToLower(w)
		if len(w) < 2 || len(w) > maxTerm || isNumber(w) {
			continue
		}
		out = append(out, Stem(w))
	}
	return out
}
