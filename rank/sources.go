package rank

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// partners reads the sets to which the question leads. Sets whose signal has no weight are not read.
func (in *reads) partners(store *hot.Store, x *queryContext, w Values) {
	top := func(f *hot.Family, owner string, n int) *hot.Ranked { return store.Top(f, owner, n, x.at) }
	files := event.Strings(x.files)
	if w[Comod] != 0 && len(files) > 0 {
		in.changes = store.Of(files, x.at, hot.Changes)[0]
		for _, f := range files {
			in.comod = append(in.comod, top(hot.Comod, f, maxPartners))
		}
	}
	if w[SessionBack] != 0 || w[SessionLast] != 0 {
		for _, f := range files {
			in.coaccess = append(in.coaccess, top(hot.Coaccess, f, maxPartners))
		}
		if len(files) > 0 {
			in.sessions = store.Of(files[len(files)-1:], x.at, hot.Sessions)[0]
		}
	}
	if w.any(TermsRank, TermsFolder) && len(x.terms) > 0 {
		in.termFreq = store.Of(x.terms, x.at, hot.TermFreq)[0]
		for _, t := range x.terms {
			in.termFiles = append(in.termFiles, top(hot.TermFiles, t, maxTermFiles))
		}
	}
	if w[Tags] != 0 {
		for _, t := range x.tags {
			in.tagFiles = append(in.tagFiles, top(hot.TagFiles, t, maxPerTag))
		}
	}
	if w[RecencyHour] != 0 || w[FolderRecent] != 0 {
		in.opened = top(hot.Recency, "", maxRecent)
	}
	if len(files) == 0 || w[Committed] != 0 {
		in.committed = top(hot.Committed, "", maxRecent)
	}
}

// collect turns the sets that were read into candidates with evidence, in a fixed order.
func (in *reads) collect(p *pool, x *queryContext) {
	for i, set := range in.comod {
		n := in.changes[i]
		for j, f := range set.Members {
			c, s := p.get(event.Path(f)), share(set.Values[j], n, comodSmooth)
			c.comod.add(s)
			c.comodBy.see(x.files[i], s)
		}
	}
	for i, set := range in.coaccess {
		for j, f := range set.Members {
			c := p.get(event.Path(f))
			c.coaccessBest = max(c.coaccessBest, set.Values[j])
			c.coaccessBy.see(x.files[i], set.Values[j])
			if i == len(in.coaccess)-1 {
				c.values[SessionLast] = share(set.Values[j], in.sessions[0], coaccessSmooth)
			}
		}
	}
	for i, set := range in.termFiles {
		n := in.termFreq[i]
		x.termsOf(set, n)
		for j, f := range set.Members {
			if j >= maxPerTerm && p.index[event.Path(f)] == nil {
				continue
			}
			c := p.get(event.Path(f))
			c.terms.add(share(set.Values[j], n, termSmooth))
			c.termBits |= 1 << i
		}
	}
	for i, set := range in.tagFiles {
		for j, f := range set.Members {
			c := p.get(event.Path(f))
			c.tags = append(c.tags, set.Values[j])
			c.tagBits |= 1 << i
		}
	}
	if in.opened != nil {
		for j, f := range in.opened.Members {
			c := p.get(event.Path(f))
			// Set early, so that cut knows it before score reads it again.
			c.values[RecencyHour] = recency(in.opened.Values[j], x.at, hour)
		}
	}
	if in.committed != nil && len(x.files) == 0 {
		for _, f := range in.committed.Members {
			p.get(event.Path(f))
		}
	}
}

// head returns the time of the newest commit, but not later than now; now if none exists.
func (in *reads) head(now time.Time) time.Time {
	if in.committed == nil || len(in.committed.Values) == 0 {
		return now
	}
	if t := time.Unix(int64(in.committed.Values[0]), 0); t.Before(now) {
		return t
	}
	return now
}

// fromTree adds candidates by the names of files: files that the prompt names, that the session
// mentioned, that have the same stem, are in the same folder, or have words of the question in
// their path.
func fromTree(p *pool, x *queryContext, q event.Query, task event.Task) {
	tree := x.tree
	for _, f := range tree.Named(q.Prompt) {
		p.get(f).named = true
	}
	for _, f := range x.mentioned() {
		p.get(f)
	}
	for _, f := range slices.Concat(x.files, x.byName) {
		same := tree.Stem(f)
		for _, g := range same[:min(len(same), maxByFolder)] {
			p.get(g)
		}
	}
	if len(x.files) > 0 {
		folder := tree.Dir(x.newest().Dir())
		for _, f := range folder[:min(len(folder), maxByFolder)] {
			p.get(f)
		}
	}
	for _, f := range x.byName {
		if folder := tree.Dir(f.Dir()); len(folder) <= manyInFolder {
			for _, g := range folder[:min(len(folder), maxByFolder)] {
				p.get(g)
			}
		}
	}
}

// score reads the stored scores of the candidates that the weights need.
func (r *Ranker) score(p *pool, x *queryContext, w Values) {
	members := make([]string, len(p.list))
	for i, c := range p.list {
		members[i] = string(c.path)
	}
	wanted := func(f *hot.Family, signals ...Signal) *hot.Family {
		if slices.ContainsFunc(signals, func(s Signal) bool { return w[s] != 0 }) {
			return f
		}
		return nil
	}
	read := r.store.Of(members, x.at, wanted(hot.Recency, RecencyHour, Never), wanted(hot.Committed, Committed, Uncommitted),
		wanted(hot.Churn, Churn), wanted(hot.Sessions, SessionBack))
	for i, c := range p.list {
		var of [4]float64
		for k, values := range read {
			if values != nil {
				of[k] = values[i]
			}
		}
		c.stored(x, of[0], of[1], of[2], of[3])
	}
}
