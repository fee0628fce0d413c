package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// textSignal is one of the numbers in [0,1] that tell how well a file fits a text.
type textSignal int

// The first signals are the shares of the aspects, in the order of index.Aspect.
const (
	textProse = textSignal(index.TextProse)
	textBody  = textSignal(index.TextBody)
)

// The others: the places of three aspects, then what does not depend on the words of the file.
const (
	textBodyPlace = textSignal(index.Aspects) + iota
	textDefinitionsPlace
	textUsesPlace
	textCoverPath      // the share of the words of the path that the text has, weighted by rarity
	textCoverBase      // the share of the words of the base name that the text has
	textCoverTitlePath // the share of the words of the path that the title has
	textScope          // share of the words in the title's scope (index.Text.Scope) that the path has
	textPhrase         // 1/√rank by index.Text.Phrases, among the fits that are read
	textFrame          // .8^d if the file first occurs in the d-th stack frame of the text
	textNamed          // the text names the file
	textNamedTitle     // the title of the text names the file
	textDepth          // min(1, folders/8)
	textSize           // ln(1+words)/ln 10,001
	textAside          // the file is in docs, examples, benchmarks, tools or scripts
	textTest           // the file is a test
	textOfProse        // the file is a document
	textData           // the file has data or settings
	textAsksTest       // the file is a test, and the text mentions tests
	textAsksProse      // the file is a document, and the text mentions documents
	textUpkeep         // the file is a manifest, a lock file or a setting of a tool
	textAsksUpkeep     // the file is one of these, and the text mentions dependencies, versions or builds
	textSignals        // number of text signals
)

// TextValues has one number per text signal: the values of a file, or the weights for a kind of
// text.
type TextValues [textSignals]float64

// textSignalNames are the names of the text signals, in their order.
var textSignalNames = strings.Fields(`text_base text_prose text_body title_path title_definitions title_body uses title_defines
	text_body_place title_definitions_place uses_place cover_path cover_base cover_title_path scope phrase_place frame
	named named_title depth size aside test prose data asks_test asks_prose upkeep asks_upkeep`)

// TextSignalNames returns the names of the text signals, in their order.
func TextSignalNames() []string { return textSignalNames }

// textKind is a kind of text with weights of its own.
type textKind int

const (
	shortText textKind = iota // a commit subject, a request of one line
	longText                  // an issue, a traceback, a request of several lines
	textKinds
)

// Texts has the weights of the text signals for each kind of text.
type Texts [textKinds]TextValues

// textKindNames has the names of the kinds of text in weights.json.
var textKindNames = [textKinds]string{"short", "long"}

// TextKind returns the name of the kind of a text.
func TextKind(text string) string { return textKindNames[kindOfText(index.ParseText(text))] }

// maxFrames is the number of stack frames whose files are looked up.
const maxFrames = 24

// longWords is the least number of words in a long text.
const longWords = 30

func kindOfText(t index.Text) textKind {
	if t.Words >= longWords {
		return longText
	}
	return shortText
}

// TextFit tells how well a file fits a text.
type TextFit struct {
	File   event.Path
	Values TextValues
	Logit  float64
	Share  float64 // the file's share of the softmax over all fits
	Words  []string
}

// Fits returns the files that fit a text, best first.
func (r *Ranker) Fits(text string) []TextFit {
	x := &queryContext{tree: r.tree(), contents: r.o.Contents(), read: r.o.Read, labels: &r.labels}
	return x.fits(index.ParseText(text), text, r.texts)
}

// fits returns the files that fit a text, best first. raw is the text itself, "" if there are only
// words.
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
			copy(f.Values[:], fit.Share[:])
			f.Values[textBodyPlace], f.Values[textUsesPlace] = fit.Place[index.TextBody], fit.Place[index.Uses]
			f.Values[textDefinitionsPlace] = fit.Place[index.TitleDefinitions]
		}
	}
	names := index.Locator{Tree: x.tree}
	for i, name := range t.Paths {
		for _, p := range names.Files(name) {
			get(p).Values[textNamed] = 1
			if i < 8 && strings.Contains(title(raw), name) {
				get(p).Values[textNamedTitle] = 1
			}
		}
	}
	fade := 1.0
	for _, frame := range t.Frames[:min(len(t.Frames), maxFrames)] {
		for _, p := range names.Files(frame) {
			v := &get(p).Values
			v[textFrame] = max(v[textFrame], fade)
		}
		fade *= .8
	}
	terms := termsOf(t, raw)
	asked := x.askedBy(t, terms)
	w := &models[kindOfText(t)]
	for i := range found {
		f := &found[i]
		x.priors(f, t, asked)
		for s, v := range f.Values {
			f.Logit += w[s] * v
		}
	}
	sortFits(found)
	if x.phrases(found, t, asked, w) {
		sortFits(found)
	}
	if demoteCopies(found) {
		sortFits(found)
	}
	if asked&upkeep == 0 && demoteUpkeep(found, x.ofProgram(terms)) {
		sortFits(found)
	}
	sum := 0.0
	for i := range found {
		sum += math.Exp(found[i].Logit - found[0].Logit)
	}
	for i := range found {
		found[i].Share = math.Exp(found[i].Logit-found[0].Logit) / sum
	}
	return found
}

func sortFits(fits []TextFit) {
	slices.SortFunc(fits, func(a, b TextFit) int {
		return cmp.Or(cmp.Compare(b.Logit, a.Logit),
			cmp.Compare(a.File, b.File))
	})
}

// The contents of the best fits of the kinds that a text can mean (see Meant) are read, as long as
// they have at most readBytes in all.
const (
	readFits  = 30
	readBytes = 2 << 20
)

// phrases rates the best fits by the words of the text that follow each other in their contents.
func (x *queryContext) phrases(fits []TextFit, t index.Text, asked kind, w *TextValues) (some bool) {
	if x.read == nil || len(t.Pairs) == 0 || w[textPhrase] == 0 {
		return false
	}
	var readings []*TextFit
	var texts [][]byte
	is := meant(asked)
	for i, room := 0, readBytes; i < len(fits) && len(texts) < readFits && room > 0; i++ {
		f := &fits[i]
		if f.Values[textSize] > 0 && is(f.File) { // a file without words is too long or binary
			text := x.read(f.File)
			readings, texts, room = append(readings, f), append(texts, text), room-len(text)
		}
	}
	values := t.Phrases(texts)
	for i, v := range values {
		if v == 0 {
			continue
		}
		f, place := readings[i], 1
		for j, u := range values {
			if u > v && x.labels.get(readings[j].File).file == x.labels.get(f.File).file {
				place++
			}
		}
		f.Values[textPhrase] = 1 / math.Sqrt(float64(place))
		f.Logit += w[textPhrase] * f.Values[textPhrase]
		some = true
	}
	return some
}

// A file is a copy of another file with the same name if the text fits both nearly equally well.
// These constants tell how nearly, and by how much the fit of a copy is lowered.
const (
	copyShare = 0.1 // largest difference of the shares of body and doc strings
	copySize  = 0.02
	copyCost  = 3.0 // logits by which the fit is lowered
	copyRoom  = 40  // number of best fits that are compared

	upkeepCost = 3.0 // logits by which demoteUpkeep lowers a fit
)

// demoteCopies lowers the fit of each file that is a copy of a better one with the same name, so
// that one file represents them all.
func demoteCopies(fits []TextFit) (some bool) {
	best := map[string][]*TextFit{}
next:
	for i := range fits[:min(len(fits), copyRoom)] {
		f := &fits[i]
		base := f.File.Base()
		for _, g := range best[base] {
			if f.copies(g) {
				f.Logit -= copyCost
				some = true
				continue next
			}
		}
		best[base] = append(best[base], f)
	}
	return some
}

// demoteUpkeep lowers the fits of changelogs, manifests, lock files and settings of tools if a text
// is about the program. These files are only compared with each other, so without this the best of
// them would fit every text well.
func demoteUpkeep(fits []TextFit, ofProgram bool) (some bool) {
	for i := range fits {
		if f := &fits[i]; ofProgram && f.Values[textUpkeep] > 0 && f.Values[textNamed] == 0 {
			f.Logit -= upkeepCost
			some = true
		}
	}
	return some
}

func (f *TextFit) copies(g *TextFit) bool {
	near := func(s textSignal, most float64) bool { return math.Abs(f.Values[s]-g.Values[s]) <= most }
	return near(textSize, copySize) && near(textBody, copyShare) && near(textProse, copyShare) &&
		f.Values[textNamed] == g.Values[textNamed] && f.Values[textFrame] == g.Values[textFrame]
}

// priors sets the text signals that do not depend on the contents of the file.
func (x *queryContext) priors(f *TextFit, t index.Text, asked kind) {
	v, l := &f.Values, x.labels.get(f.File)
	if x.contents != nil {
		c := x.contents.Cover(f.File, t)
		v[textCoverPath], v[textCoverBase], v[textCoverTitlePath] = c.Path, c.Base, c.TitlePath
		v[textScope] = c.Scope
		v[textSize] = unit(math.Log1p(x.contents.Size(f.File)) / math.Log1p(manyWords))
	}
	v[textDepth], v[textAside] = l.depth, truth(l.aside)
	v[textUpkeep], v[textAsksUpkeep] = truth(l.upkeep), truth(l.upkeep && asked&upkeep != 0)
	switch l.file {
	case index.KindTest:
		v[textTest], v[textAsksTest] = 1, truth(asked&tests != 0)
	case index.KindProse:
		v[textOfProse], v[textAsksProse] = 1, truth(asked&documents != 0)
	case index.KindData, index.KindBinary:
		v[textData] = 1
	}
}

// Meant returns a function that tells which files a text can mean: sources, and other kinds if the
// text asks for them.
func (r *Ranker) Meant(text string) func(event.Path) bool {
	x := &queryContext{tree: r.tree(), contents: r.o.Contents()}
	t := index.ParseText(text)
	return meant(x.askedBy(t, termsOf(t, text)))
}

func meant(asked kind) func(event.Path) bool {
	return func(p event.Path) bool {
		switch of := index.KindOf(p); {
		case p.Upkeep():
			return asked&upkeep != 0
		case of == index.KindTest:
			return asked&tests != 0
		case of == index.KindProse:
			return asked&documents != 0
		default:
			return of == index.KindSource
		}
	}
}

// termsOf returns the words of a text in the form that paths use. raw is "" for a text that was
// made from words (index.TextOf).
func termsOf(t index.Text, raw string) (terms []string) {
	if raw != "" {
		return index.Terms(raw, event.MaxTerms)
	}
	for _, w := range t.Body[:min(len(t.Body), event.MaxTerms)] {
		terms = append(terms, w.Stem)
	}
	return terms
}

// title returns the first line of a text that is not empty.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
