package main

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

// engine is an index in a folder.
type engine interface {
	add(root string, files []string)                          // replaces files that it has
	search(asked terms, most int) (scores map[string]float64) // of files that have one of the words, the best most
	Close() error
}

// engines open an index of some files of a folder. They are asked for a score of their own, or for one by field, of
// the text and of its title, that rank/weights.json weighs.
var engines = []struct {
	name    string
	open    func(store, root string, files []string) engine
	weighed bool
}{
	{"FTS5, own score", openFTS, false},
	{"FTS5, fields weighed", openFTS, true},
	{"bleve, own score", openBleve, false},
	{"bleve, fields weighed", openBleve, true},
	{"internal/index, fields weighed", openOwn, true},
}

// fields are those of package index, the last two hold identifiers. aspects are their scores for a text, and for its
// title.
var (
	fields  = []string{"path", "base", "definitions", "prose", "body", "defines", "uses"}
	aspects = [2][7]index.Aspect{
		{index.TextPath, index.TextBase, index.TextDefinitions, index.TextProse, index.TextBody, index.Defines, index.Uses},
		{index.TitlePath, index.TitleBase, index.TitleDefinitions, index.TitleProse, index.TitleBody, index.TitleDefines,
			index.TitleUses},
	}
)

// terms are what each field is asked.
type terms [7][]index.Count

const (
	maxAnswer = 10  // files
	maxFound  = 500 // files that get a score by a field
	maxPlaces = 64  // files that have a place, as in package index
)

// ask returns the files that fit a text best, best first.
func ask(e engine, weighed bool, raw string) []string {
	t := index.ParseText(raw)
	sums := map[string]float64{}
	if o, is := e.(own); is {
		w := weights(raw)
		for _, fit := range o.Match(t) {
			for a := range index.Aspects {
				sums[string(fit.Path)] += w[2*a]*fit.Share[a] + w[2*a+1]*fit.Place[a]
			}
		}
	} else if text := termsOf(t.Body, t.Identifiers); weighed {
		weigh(e, [2]terms{text, termsOf(t.Title, t.TitleIdentifiers)}, weights(raw), sums)
	} else {
		sums = e.search(text, maxAnswer)
	}
	order := sorted(sums)
	return order[:min(len(order), maxAnswer)]
}

// weigh searches by each field, and adds up the shares of its best score, and the places, as package rank does.
func weigh(e engine, asked [2]terms, w rank.TextValues, sums map[string]float64) {
	for title, all := range asked {
		for field, a := range aspects[title] {
			var one terms
			one[field] = all[field]
			scores := e.search(one, maxFound)
			order := sorted(scores)
			for i, p := range order {
				sums[p] += w[2*a] * scores[p] / scores[order[0]]
				if i < maxPlaces {
					sums[p] += w[2*a+1] / math.Sqrt(float64(i+1))
				}
			}
		}
	}
}

func termsOf(words []index.Count, names []string) terms {
	var identifiers []index.Count
	for _, name := range names {
		identifiers = append(identifiers, index.Count{Stem: name, N: 1})
	}
	return terms{words, words, words, words, words, identifiers, identifiers}
}

// weights returns the shipped weights of texts of that kind.
func weights(text string) rank.TextValues {
	data, err := os.ReadFile("../../rank/weights.json")
	check(err)
	texts, err := rank.ParseTexts(data)
	check(err)
	if rank.TextKind(text) == "long" {
		return texts[1]
	}
	return texts[0]
}

// document returns the fields of a file as texts of words.
func document(root, name string) (out [7]string) {
	text, err := os.ReadFile(filepath.Join(root, name))
	check(err)
	p := event.Path(name)
	said := index.Extract(p, text)
	base, _, _ := strings.Cut(strings.TrimLeft(p.Base(), "."), ".")
	for i, of := range []string{strings.ReplaceAll(p.Dir(), "/", " ") + " " + base, base} {
		for _, c := range index.ParseText(of).Body {
			out[i] += strings.Repeat(c.Stem+" ", c.N)
		}
	}
	var repeated [3]strings.Builder
	for _, t := range said.Terms {
		for i, n := range [...]uint32{t.Definitions, t.Prose, t.Body} {
			repeated[i].WriteString(strings.Repeat(t.Stem+" ", int(n)))
		}
	}
	for i := range repeated {
		out[2+i] = repeated[i].String()
	}
	out[5], out[6] = strings.Join(said.Defines, " "), strings.Join(append(said.Uses, said.Defines...), " ")
	return out
}

// sorted returns the keys by value, highest first.
func sorted(values map[string]float64) []string {
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(values[b], values[a]), strings.Compare(a, b))
	})
}

// own is package index with its reader, in a sealed file as the daemon keeps it. The reader adds the files on its own.
type own struct {
	*index.Contents
	stop func() error
}

func openOwn(store, root string, files []string) engine {
	keys := cold.SealOptions{Identity: filepath.Join(store, "identity"), Keys: filepath.Join(store, "keys")}
	seal, err := cold.OpenSeal(keys)
	check(err)
	tree := index.NewTree(nil)
	for _, f := range files {
		tree.Add(event.Path(f))
	}
	r := index.NewReader(event.Root(root))
	r.Keep(cold.SealedFile{Name: filepath.Join(store, "contents", "index"), Seal: seal}, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx, func() *index.Tree { return tree }) }()
	r.Wait(ctx, time.Hour)
	return own{r.Contents(), func() error { stop(); return <-done }}
}

func (o own) Close() error { return o.stop() }

func (o own) add(root string, files []string) {
	if len(files) == 1 {
		text, err := os.ReadFile(filepath.Join(root, files[0]))
		check(err)
		o.Set(event.Path(files[0]), text)
	}
}

func (o own) search(terms, int) map[string]float64 { return nil } // ask calls Match
