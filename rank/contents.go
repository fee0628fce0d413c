package rank

import (
	"math"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// alikeFiles is the number of current files, the newest ones, for which similar files are searched.
const alikeFiles = 3

// addContents adds files by their contents: those that have the words and identifiers of the prompt
// and of the newest patterns, and those that share identifiers with current files.
func (x *queryContext) addContents(p *pool) {
	if x.contents != nil {
		x.calling(p)
		x.sharing(p)
	}
	x.match(p, x.fitting, maxSaid, func(v *Values, f *TextFit, fit, place float64) {
		of := &f.Values
		v[Text], v[TextShare], v[TextPlace] = fit, f.Share, place
		v[TextCover], v[TextBody], v[TextDocs], v[TextUses] = of[textCoverPath], of[textBody], of[textProse], of[textUsesPlace]
		v[AskedKind] = max(of[textAsksTest], of[textAsksProse], of[textAsksUpkeep])
	})
	x.match(p, x.patterned, maxSaid, func(v *Values, _ *TextFit, fit, _ float64) { v[Pattern] = fit })
	x.match(p, x.latest, 0, func(v *Values, _ *TextFit, _, place float64) { v[PatternPlace] = place })
	x.match(p, x.topic, 0, func(v *Values, _ *TextFit, fit, _ float64) { v[Topic] = fit })
}

// sharing adds files that share rare identifiers with the newest current files.
func (x *queryContext) sharing(p *pool) {
	for _, g := range x.files[max(0, len(x.files)-alikeFiles):] {
		for _, f := range x.contents.Alike(g, maxSaid) {
			c := p.get(f.Path)
			c.alike = max(c.alike, f.Weight)
			c.alikeBy.see(g, f.Weight)
		}
	}
}

// textSpan is the distance in logits from the best-fitting text at which a fit counts as 0.
const textSpan = 8.0

// match adds the files that fit a text. The best ones, at most most of them, become candidates. set
// is called with the fit, 1 + (logit − best)/textSpan, and with the place, 1/√rank.
func (x *queryContext) match(p *pool, fits []TextFit, most int, set func(v *Values, f *TextFit, fit, place float64)) {
	for i := range fits {
		f := &fits[i]
		c := p.index[f.File]
		if c == nil {
			if i >= most {
				continue
			}
			c = p.get(f.File)
		}
		set(&c.values, f, unit(1+(f.Logit-fits[0].Logit)/textSpan), 1/math.Sqrt(float64(1+i)))
		if c.said == nil && most > 0 {
			c.said = f.Words
		}
	}
}

// readTexts finds the files that fit the prompt, an earlier prompt, and the newest patterns and
// commands.
func (r *Ranker) readTexts(x *queryContext, q event.Query, prompt index.Text, w Values) {
	of := func(words, names []string) []TextFit {
		if len(words)+len(names) == 0 {
			return nil
		}
		key := strings.Join(words, " ") + "\x00" + strings.Join(names, " ")
		return r.known.get(x, key, func() []TextFit { return x.fits(index.TextOf(words, names), "", r.texts) })
	}
	if w.any(Text, AskedKind) {
		x.prompted = q.Prompt
		if q.Prompt != "" && !x.saysMore() {
			x.fitting = r.known.get(x, q.Prompt, func() []TextFit { return x.fits(prompt, q.Prompt, r.texts) })
		} else {
			x.fitting = of(x.words, x.idents)
		}
	}
	if w[Pattern] != 0 {
		x.patterned = of(x.patternTexts())
	}
	if w[PatternPlace] != 0 && len(x.did.Patterns) > 0 {
		x.latest = of(x.did.Patterns[0].Words, x.did.Patterns[0].Idents)
	}
	if w[Topic] != 0 {
		x.topic = of(x.did.Topic.Words, x.did.Topic.Idents)
	}
}

// patternTexts returns the words and identifiers of the newest patterns and commands since the
// prompt.
func (x *queryContext) patternTexts() (words, names []string) {
	for i, said := range x.did.Patterns {
		if i >= 4 || said.Prompt != x.did.Prompts {
			break
		}
		words, names = append(words, said.Words...), append(names, said.Idents...)
	}
	return words[:min(len(words), event.MaxTerms)], names[:min(len(names), maxIdents)]
}
