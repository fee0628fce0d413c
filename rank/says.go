package rank

import (
	"math"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// alikeFiles: of so many files in hand, the newest, is asked who is alike.
const alikeFiles = 3

// patternFade: a pattern or command counts this much less than the one after it.
const patternFade = 0.8

// say adds what files say: words and identifiers of the prompt and of the newest patterns, and identifiers shared with the files that lead.
func (x *setting) say(p *pool) {
	x.patternsInPaths(p)
	if x.contents == nil {
		return
	}
	fits(p, x.contents.Words(x.words, maxSaid), Contents, ContentsRank)
	fits(p, x.contents.Words(x.patternTerms(), maxSaid), PatternContents, PatternContentsRank)
	for _, f := range x.contents.Identifiers(x.allIdents(), maxSaid) {
		c := p.get(f.Path)
		c.values[Identifiers] = unit(f.Weight / (1 + f.Weight))
		c.called = f.Words
	}
	x.defining(p)
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

// fits turns what was found into two signals: the share of the best one's weight, and 1/√rank.
func fits(p *pool, found []index.Hit, share, rank Signal) {
	for i, f := range found {
		c := p.get(f.Path)
		c.values[share] = unit(f.Weight / found[0].Weight)
		c.values[rank] = 1 / math.Sqrt(float64(1+i))
		c.said = f.Words
	}
}

// patternTerms are the words of the patterns and commands since the prompt.
func (x *setting) patternTerms() []string {
	var out []string
	for _, said := range x.patterns {
		if said.Prompt == x.prompt && len(out) < event.MaxTerms {
			out = append(out, said.Words...)
		}
	}
	return out[:min(len(out), event.MaxTerms)]
}

// allIdents are the identifiers of the prompt and of the newest patterns and commands.
func (x *setting) allIdents() []string {
	out := x.idents
	for i, said := range x.patterns {
		if i < 4 && said.Prompt == x.prompt {
			out = append(out[:len(out):len(out)], said.Idents...)
		}
	}
	return out[:min(len(out), maxIdents)]
}

// patternsInPaths finds files by the words of patterns and commands in their paths.
func (x *setting) patternsInPaths(p *pool) {
	fade, room := 1.0, maxByWord
	for _, said := range x.patterns {
		type sums struct{ path, name float64 }
		found := map[event.Path]sums{}
		for _, w := range said.Words {
			with := x.tree.Word(w)
			if len(with) >= maxWord {
				continue
			}
			rare := index.Rarity(x.tree.Len(), len(with))
			for _, f := range with {
				s := found[f]
				s.path += rare
				for _, t := range x.baseTerms(f) {
					if t == w {
						s.name += rare
					}
				}
				found[f] = s
			}
		}
		for _, f := range sorted(found) {
			c, s := p.index[f], found[f]
			if c == nil {
				if room == 0 {
					continue
				}
				room--
				c = p.get(f)
			}
			c.values[PatternWords] = max(c.values[PatternWords], fade*words(s.path))
			c.values[PatternName] = max(c.values[PatternName], fade*x.name(f, s.name))
		}
		fade *= patternFade
	}
}
