package rank

import (
	"math"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// alikeFiles: of so many files in hand, the newest, is asked who is alike.
const alikeFiles = 3

// say adds what files say: the words and identifiers of the prompt and of the newest patterns, and identifiers shared with the files
// that lead.
func (x *queryContext) say(p *pool) {
	x.match(p, x.fitting, Text, TextPlace)
	for _, f := range x.fitting {
		if c := p.index[f.File]; c != nil {
			c.values[TextShare] = f.Share
		}
	}
	if len(x.fitting) > 0 {
		x.same[TextSure] = x.fitting[0].Share
	}
	x.match(p, x.patterned, Pattern, PatternPlace)
	if x.contents == nil {
		return
	}
	x.calling(p)
	for l, lead := range x.leads {
		for _, g := range lead[max(0, len(lead)-alikeFiles):] {
			for _, f := range x.contents.Alike(g, maxSaid) {
				c := p.get(f.Path)
				c.alike[l] = max(c.alike[l], f.Weight)
				c.alikeBy[l].see(g, f.Weight)
			}
		}
	}
}

// textSpan is how far below the best fit, in logits, a fit counts for nothing.
const textSpan = 8.0

// match turns the fits of a text into two signals: 1 + (logit - best)/textSpan, and 1/√rank.
func (x *queryContext) match(p *pool, fits []TextFit, logit, place Signal) {
	for i, f := range fits {
		c := p.index[f.File]
		if c == nil {
			if i >= maxSaid {
				continue
			}
			c = p.get(f.File)
		}
		c.values[logit] = unit(1 + (f.Logit-fits[0].Logit)/textSpan)
		c.values[place] = 1 / math.Sqrt(float64(1+i))
		if c.said == nil {
			c.said = f.Words
		}
	}
}

// readTexts finds what the prompt and the newest patterns and commands mean.
func (r *Ranker) readTexts(x *queryContext, q event.Query, prompt index.Text, w Values) {
	of := func(words, names []string) []TextFit {
		if len(words)+len(names) == 0 {
			return nil
		}
		key := strings.Join(words, " ") + "\x00" + strings.Join(names, " ")
		return r.known.of(x, key, func() []TextFit { return x.fits(index.TextOf(words, names), "", r.texts) })
	}
	if w[Text] != 0 || w[TextShare] != 0 || w[TextPlace] != 0 {
		if x.prompted = q.Prompt; q.Prompt != "" {
			x.fitting = r.known.of(x, q.Prompt, func() []TextFit { return x.fits(prompt, q.Prompt, r.texts) })
		} else {
			x.fitting = of(x.words, x.idents)
		}
	}
	if w[Pattern] != 0 || w[PatternPlace] != 0 {
		x.patterned = of(x.patternTexts())
	}
}

// patternTexts are the words and identifiers of the newest patterns and commands since the prompt.
func (x *queryContext) patternTexts() (words, names []string) {
	for i, said := range x.patterns {
		if i >= 4 || said.Prompt != x.prompt {
			break
		}
		words, names = append(words, said.Words...), append(names, said.Idents...)
	}
	return words[:min(len(words), event.MaxTerms)], names[:min(len(names), maxIdents)]
}
