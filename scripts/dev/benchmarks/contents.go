package main

import (
	"cmp"
	"context"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// comment matches the instructions in an issue form for the person who fills it in.
var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// contents scores the files of a commit by the words of a text, as BM25 does and as a person with
// ripgrep does. Each version of a file is read once.
type contents struct {
	clone string
	blobs *git.Blobs
	known map[string]document // the words of each git object that was read, by its id
}

// document counts how often a content has each term (identifiers split into words, stemmed) and
// each word as it is written.
type document struct {
	terms, words map[string]int32
	length       float64 // terms
}

func openContents(ctx context.Context, clone string) (*contents, error) {
	b, err := git.Find(os.Environ()).Blobs(ctx, clone)
	return &contents{clone: clone, blobs: b, known: map[string]document{}}, err
}

func newDocument(text string) document {
	d := document{terms: map[string]int32{}, words: map[string]int32{}}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !wordRune(r) }) {
		if len(word) < 3 || len(word) > 64 {
			continue
		}
		d.words[strings.ToLower(word)]++
		from := 0
		for i := 1; i <= len(word); i++ {
			if i < len(word) && word[i] != '_' && !(lower(word[i-1]) && !lower(word[i])) {
				continue
			}
			if part := strings.Trim(word[from:i], "_"); len(part) > 1 {
				d.terms[index.Stem(strings.ToLower(part))]++
				d.length++
			}
			from = i
		}
	}
	return d
}

func wordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func lower(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// read returns the words of an object, none if it is large or binary.
func (c *contents) read(object string) document {
	d, known := c.known[object]
	if !known {
		if data, err := c.blobs.Read(object, index.MaxDocument); err == nil && !slices.Contains(data, 0) {
			d = newDocument(string(data))
		}
		c.known[object] = d
	}
	return d
}

// found returns the files of a commit for which counts is true, the best first, by two methods: by
// BM25 (k1 1.2, b .75) of path and content, and by how many different words of the text `rg -iw`
// finds in them. Ties of the second are broken by the number of matches.
func (c *contents) found(ctx context.Context, commit, text string,
	counts func(event.Path) bool) (bm25, grep []event.Path, err error) {
	files, err := recorded.FilesOf(ctx, c.clone, commit)
	if err != nil {
		return nil, nil, err
	}
	asked := newDocument(comment.ReplaceAllString(text, ""))
	for _, words := range []map[string]int32{asked.words, asked.terms} {
		for word := range words {
			if len(index.Terms(word, 1)) == 0 { // a stop word, which is not searched for
				delete(words, word)
			}
		}
	}
	var paths []event.Path
	var docs []document
	total, in := 0.0, map[string]float64{}
	for p, object := range files {
		if !counts(p) || index.KindOf(p) == index.KindBinary {
			continue
		}
		d, name := c.read(object), newDocument(string(p))
		paths, docs = append(paths, p), append(docs, d)
		total += d.length + name.length
		for t := range asked.terms {
			if d.terms[t]+name.terms[t] > 0 {
				in[t]++
			}
		}
	}
	mean := total / float64(max(len(docs), 1))
	ranked, grepped := map[event.Path]float64{}, map[event.Path]float64{}
	for i, d := range docs {
		name := newDocument(string(paths[i]))
		for t, times := range asked.terms {
			if n := float64(d.terms[t] + name.terms[t]); n > 0 {
				idf := math.Log(1 + (float64(len(docs))-in[t]+.5)/(in[t]+.5))
				ranked[paths[i]] += math.Sqrt(float64(times)) * idf * n * 2.2 / (n + 1.2*(.25+.75*(d.length+name.length)/mean))
			}
		}
		for w := range asked.words {
			if n := d.words[w]; n > 0 {
				grepped[paths[i]] += 1 + min(float64(n), 1e6)/1e9
			}
		}
	}
	return best(ranked), best(grepped), nil
}

// best returns the files by their scores, the best first; ties are ordered by path.
func best(scores map[event.Path]float64) []event.Path {
	out := make([]event.Path, 0, len(scores))
	for p := range scores {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	return out
}
