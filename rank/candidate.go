package rank

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// candidate is a file that may be an answer, with the evidence found for it so far.
type candidate struct {
	path         event.Path
	label        *label // set when the path is first looked at
	comod        noisyOr
	alike        float64 // similarity to the current file that is most similar
	calls        float64 // value for the current file that uses most of the names that this one defines
	terms        noisyOr
	tags         []float64
	coaccessBest float64 // the largest weight among the current files
	named        bool    // the prompt of the query names it
	access       float64 // last access and last commit, in Unix seconds, 0: never
	commit       float64
	values       Values
	place        float64 // the value by which the candidates are currently being sorted

	// What the texts of reasons need: the strongest partner, and the terms, words and tags that
	// matched.
	comodBy    strongestPartner
	alikeBy    strongestPartner
	coaccessBy strongestPartner
	said       []string // words and identifiers of the text that the file has
	calledBy   event.Path
	termBits   uint32
	tagBits    uint8
}

type strongestPartner struct {
	path  event.Path
	share float64
}

func (s *strongestPartner) see(p event.Path, share float64) {
	if share > s.share {
		s.path, s.share = p, share
	}
}

// pool holds the candidates of one query, in order of appearance.
type pool struct {
	list  []*candidate
	index map[event.Path]*candidate
}

func newPool() *pool { return &pool{index: make(map[event.Path]*candidate, 256)} }

func (p *pool) get(f event.Path) *candidate {
	c := p.index[f]
	if c == nil {
		c = &candidate{path: f}
		p.index[f], p.list = c, append(p.list, c)
	}
	return c
}

// keep drops the candidates for which ok is false.
func (p *pool) keep(ok func(event.Path) bool) {
	p.list = slices.DeleteFunc(p.list, func(c *candidate) bool { return !ok(c.path) })
}

// cut keeps the n candidates that score best by the evidence so far, and the file forced.
func (p *pool) cut(n int, m Model, forced event.Path) {
	if len(p.list) <= n {
		return
	}
	type ranked struct {
		c *candidate
		z float64
	}
	rs := make([]ranked, len(p.list))
	for i, c := range p.list {
		rs[i] = ranked{c, m.weightsFor(c.values[Unseen] > 0).Logit(c.values)}
	}
	slices.SortFunc(rs, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.z, a.z), cmp.Compare(a.c.path, b.c.path))
	})
	p.list = p.list[:0]
	for i, r := range rs {
		if i < n || r.c.path == forced {
			p.list = append(p.list, r.c)
		}
	}
}

// fill sets the signals that need no stored score of the candidate.
func (c *candidate) fill(x *queryContext) {
	v := &c.values
	c.label = x.labels.get(c.path)
	v[Bias] = 1
	v[Comod] = c.comod.value()
	v[TermsFolder] = x.folderTerms[c.label.dir].value()
	v[Tags] = tags(c.tags, len(x.tags))
	v[Named], v[Mentioned] = truth(c.named || has(x.named, c.path)), unit(x.said[c.path])
	v[ListedFresh] = x.fresh[c.path]
	x.folders(c)
	x.kinds(c)
	if !x.unasked(c.label) {
		v[FreshCommitted] = x.freshCommitted(c.path)
	}
	v[OfBranch] = x.branch[c.path]
	// nothing in the session has named it
	v[Unseen] = truth(!c.inWords(x) && !has(x.did.Seen, c.path) && !has(x.did.Opened, c.path))
}

// inWords reports whether a prompt, a command or a pattern of the session has named the file.
func (c *candidate) inWords(x *queryContext) bool {
	return c.named || has(x.named, c.path) || has(x.before, c.path) || has(x.did.Commands, c.path)
}

// stored sets the signals that come from the scores stored for each file.
func (c *candidate) stored(x *queryContext, access, commit, commits, sessions float64) {
	v := &c.values
	c.access, c.commit = access, commit
	v[RecencyHour] = recency(access, x.at, hour)
	v[Committed] = recency(commit, x.head, committedHalf)
	if x.apart[c.path] {
		v[Committed] = apartCommitted
	}
	v[SessionBack] = share(c.coaccessBest, sessions, coaccessSmooth)
	v[Churn] = logShare(commits)
	v[Never], v[Uncommitted] = truth(!(access > 0)), truth(!(commit > 0))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// picked returns the words whose bits are set, at most n.
func picked[B uint8 | uint32](all []string, set B, n int) []string {
	var out []string
	for b := uint32(set); b != 0 && len(out) < n; b &= b - 1 {
		if i := bits.TrailingZeros32(b); i < len(all) {
			out = append(out, all[i])
		}
	}
	return out
}
