package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// textSignal is one of the numbers in [0,1] by which a file fits a text. The first ones are the share and the place of each
// index.Aspect.
type textSignal int

const (
	textCoverPath      textSignal = 2*textSignal(index.Aspects) + iota // the share of the words of the path that the text says, by rarity
	textCoverBase                                                      // the same of the base name
	textCoverTitlePath                                                 // the same by the title
	textCoverTitleBase
	textFrame      // .8^d, d the depth of the file's first stack frame in the text
	textNamed      // the text names the file
	textNamedTitle // its title does
	textDotted     // a dotted name of the text begins with the file's module path
	textInit       // __init__.py, index.ts, mod.rs and the like
	textDepth      // min(1, folders/8)
	textSize       // ln(1+words)/ln 10,001
	textAside      // it lies in docs, examples, benchmarks, tools or scripts
	textTest       // it is a test
	textProse      // it is a document
	textData       // it holds data or settings
	textAsksTest   // it is a test, and the text speaks of tests
	textAsksProse  // it is a document, and the text speaks of documents
	textSignals    // their number
)

// TextValues holds one number per text signal: a file's values, or the weights of a kind of text.
type TextValues [textSignals]float64

// textSignalNames are the names of text signals in weights.json.
var textSignalNames = func() (names [textSignals]string) {
	for a := range index.Aspects {
		names[2*a], names[2*a+1] = a.String(), a.String()+"_place"
	}
	for s, name := range map[textSignal]string{textCoverPath: "cover_path", textCoverBase: "cover_base", textCoverTitlePath: "cover_title_path",
		textCoverTitleBase: "cover_title_base", textFrame: "frame", textNamed: "named", textNamedTitle: "named_title", textDotted: "dotted",
		textInit: "init", textDepth: "depth", textSize: "size", textAside: "aside", textTest: "test", textProse: "prose", textData: "data",
		textAsksTest: "asks_test", textAsksProse: "asks_prose"} {
		names[s] = name
	}
	return names
}()

// TextSignalNames are the names of the text signals, in their order.
func TextSignalNames() []string { return textSignalNames[:] }

// textKind is a kind of text, which has weights of its own.
type textKind int

const (
	shortText textKind = iota // a commit subject, a request of one line
	longText                  // an issue, a traceback, a request of several lines
	textKinds
)

// Texts are the weights of text signals, by kind of text.
type Texts [textKinds]TextValues

// textKindNames are the names of kinds of text in weights.json.
var textKindNames = [textKinds]string{"short", "long"}

// TextKind is the name of the kind of a text.
func TextKind(text string) string { return textKindNames[kindOfText(index.ParseText(text))] }

// maxFrames is the number of stack frames that are looked for.
const maxFrames = 24

// longWords is the number of words from which a text is long.
const longWords = 30

func kindOfText(t index.Text) textKind {
	if t.Words >= longWords {
		return longText
	}
	return shortText
}

// TextFit is how likely a text means a file.
type TextFit struct {
	File   event.Path
	Values TextValues
	Logit  float64
	Share  float64 // of the softmax over all fits
	Words  []string
}

// Fits returns the files that a text may mean, best first.
func (r *Ranker) Fits(text string) []TextFit {
	x := &queryContext{tree: r.tree(), contents: r.o.Contents(), labels: &r.labels}
	return x.fits(index.ParseText(text), text, r.texts)
}

// fits returns the files that a text may mean, best first.
func (x *queryContext) fits(t index.Text, raw string, models Texts) []TextFit {
	var found []TextFit
	at := map[event.Path]int{}
	get := func(p event.Path) *TextFit {
		i, known := at[p]
		if !known {
			i = len(found)
			at[p] = i
			found = append(found, TextFit{File: p})
		}
		return &found[i]
	}
	if x.contents != nil {
		for _, fit := range x.contents.Match(t) {
			if !x.tree.Has(fit.Path) {
				continue
			}
			f := get(fit.Path)
			f.Words = fit.Words
			for a := range index.Aspects {
				f.Values[2*a], f.Values[2*a+1] = fit.Share[a], fit.Place[a]
			}
		}
	}
	for i, name := range t.Paths {
		for _, p := range x.tree.Files(name) {
			get(p).Values[textNamed] = 1
			if i < 8 && strings.Contains(title(raw), name) {
				get(p).Values[textNamedTitle] = 1
			}
		}
	}
	fade := 1.0
	for _, frame := range t.Frames[:min(len(t.Frames), maxFrames)] {
		for _, p := range x.tree.Files(frame.Path) {
			v := &get(p).Values
			v[textFrame] = max(v[textFrame], fade)
		}
		fade *= .8
	}
	for _, name := range t.Dotted {
		for _, p := range x.tree.Modules(name) {
			get(p).Values[textDotted] = 1
		}
	}
	asked := kind(0)
	for _, w := range t.Body {
		asked |= asks[w.Stem]
	}
	w := &models[kindOfText(t)]
	for i := range found {
		f := &found[i]
		x.priors(f, t, asked)
		for s, v := range f.Values {
			f.Logit += w[s] * v
		}
	}
	slices.SortFunc(found, func(a, b TextFit) int { return cmp.Or(cmp.Compare(b.Logit, a.Logit), cmp.Compare(a.File, b.File)) })
	sum := 0.0
	for i := range found {
		sum += math.Exp(found[i].Logit - found[0].Logit)
	}
	for i := range found {
		found[i].Share = math.Exp(found[i].Logit-found[0].Logit) / sum
	}
	return found
}

// priors fills in the signals that do not depend on what the file says.
func (x *queryContext) priors(f *TextFit, t index.Text, asked kind) {
	v, l := &f.Values, x.labels.of(f.File)
	if x.contents != nil {
		c := x.contents.Cover(f.File, t)
		v[textCoverPath], v[textCoverBase], v[textCoverTitlePath], v[textCoverTitleBase] = c.Path, c.Base, c.TitlePath, c.TitleBase
		v[textSize] = unit(math.Log1p(x.contents.Size(f.File)) / math.Log1p(manyWords))
	}
	v[textDepth], v[textInit], v[textAside] = l.depth, truth(l.init), truth(l.aside)
	switch l.file {
	case index.KindTest:
		v[textTest], v[textAsksTest] = 1, truth(asked&tests != 0)
	case index.KindProse:
		v[textProse], v[textAsksProse] = 1, truth(asked&documents != 0)
	case index.KindData, index.KindBinary:
		v[textData] = 1
	}
}

// title is the first line of a text that is not empty.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
