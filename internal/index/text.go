package index

import (
	"regexp"
	"slices"
	"strings"
)

type Frame struct {
	Path     string
	Line     int
	Function string
	Depth    int
}

type Text struct {
	Title, Body                   map[string]int
	Identifiers, TitleIdentifiers []string
	Frames                        []Frame
	Dotted, Paths                 []string
	Words, Lines                  int
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)
var pyFrame = regexp.MustCompile(`File "([^"\n]+)", line (\d+)`)
var pathLike = regexp.MustCompile(`[\w.\-/]*\w\.[a-zA-Z]{1,4}\b`)
var dotted = regexp.MustCompile(`\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+`)
var codey = regexp.MustCompile("`([A-Za-z_][\\w.]*)`|\\b(\\w*[a-z0-9][A-Z]\\w*|\\w+_\\w+|_\\w+)\\b|\\b([A-Za-z_]\\w+)\\(|\\.([A-Za-z_]\\w+)")

func ParseText(text string) Text {
	text = comment.ReplaceAllString(text, " ")
	title, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	t := Text{Title: map[string]int{}, Body: map[string]int{}, Lines: strings.Count(text, "\n") + 1}
	for _, w := range stemsOf(title) {
		t.Title[w]++
	}
	for _, w := range stemsOf(text) {
		t.Body[w]++
		t.Words++
	}
	t.Identifiers, t.TitleIdentifiers = idents(text), idents(title)
	found := pyFrame.FindAllStringSubmatch(text, -1)
	slices.Reverse(found)
	for i, m := range found {
		t.Frames = append(t.Frames, Frame{Path: m[1], Depth: i})
	}
	t.Paths = pathLike.FindAllString(text, 60)
	t.Dotted = dotted.FindAllString(text, 60)
	return t
}

func stemsOf(text string) (out []string) {
	for w := range split(text, false) {
		w = strings.ToLower(w)
		if len(w) < 2 || len(w) > maxTerm || isNumber(w) || stopWords[w] || requestStops[w] {
			continue
		}
		out = append(out, Stem(w))
	}
	return out
}

func idents(text string) (out []string) {
	for _, m := range codey.FindAllStringSubmatch(text, -1) {
		for _, s := range m[1:] {
			for _, part := range strings.Split(s, ".") {
				if n := plainIdentifier(part); len(n) >= 3 && !slices.Contains(out, n) && len(out) < 60 {
					out = append(out, n)
				}
			}
		}
	}
	return out
}
