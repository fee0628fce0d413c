package rank

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// partners requests the sets to which the question leads. Sets whose signal has no weight are not
// read.
func (in *reads) partners(v *hot.View, x *queryContext, w Values) {
	files := event.Strings(x.files)
	if w[Comod] != 0 && len(files) > 0 {
		in.changes = v.Of(hot.Changes, files)
		for _, f := range files {
			in.comod = append(in.comod, v.Top(hot.Comod, f, maxPartners))
		}
	}
	if w[SessionBack] != 0 || w[SessionLast] != 0 {
		for _, f := range files {
			in.coaccess = append(in.coaccess, v.Top(hot.Coaccess, f, maxPartners))
		}
		if len(files) > 0 {
			in.sessions = v.Of(hot.Sessions, files[len(files)-1:])
		}
	}
	if w.any(TermsRank, TermsFolder) && len(x.terms) > 0 {
		in.termFreq = v.Of(hot.TermFreq, x.terms)
		for _, t := range x.terms {
			in.termFiles = append(in.termFiles, v.Top(hot.TermFiles, t, maxTermFiles))
		}
	}
	if w[Tags] != 0 {
		for _, t := range x.tags {
			in.tagFiles = append(in.tagFiles, v.Top(hot.TagFiles, t, maxPerTag))
		}
	}
	if w[RecencyHour] != 0 || w[FolderRecent] != 0 {
		in.opened = v.Top(hot.Recency, "", maxRecent)
	}
	if len(files) == 0 || w[Committed] != 0 {
		in.committed = v.Top(hot.Committed, "", maxRecent)
	}
}

// collect turns the sets that were read into candidates with evidence, in a fixed order.
func (in *reads) collect(p *pool, x *queryContext) {
	for i, set := range in.comod {
		n := valueAt(in.changes, i)
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
				c.values[SessionLast] = share(set.Values[j], valueAt(in.sessions, 0), coaccessSmooth)
			}
		}
	}
	for i, set := range in.termFiles {
		n := valueAt(in.termFreq, i)
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
			// Set early, so that cut knows it before the second round trip. That trip yields the
			// same number again.
			c.values[RecencyHour] = recency(in.opened.Values[j], x.at, hour)
		}
	}
	if in.committed != nil && len(x.files) == 0 {
		for _, f := range in.committed.Members {
			p.get(event.Path(f))
		}
	}
}

// head returns the time of the newest commit, but not later than now; now if there is none.
func (in *reads) head(now time.Time) time.Time {
	if in.committed == nil || len(in.committed.Values) == 0 {
		return now
	}
	if t := time.Unix(int64(in.committed.Values[0]), 0); t.Before(now) {
		return t
	}
	return now
}

// valueAt returns the i-th value, 0 if nothing was read.
func valueAt(v *hot.Values, i int) float64 {
	if v == nil || i >= len(v.Value) {
		return 0
	}
	return v.Value[i]
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

// score reads the stored scores of the candidates. This is the second round trip.
func (r *Ranker) score(ctx context.Context, p *pool, x *queryContext, w Values) error {
	members := make([]string, len(p.list))
	for i, c := range p.list {
		members[i] = string(c.path)
	}
	if len(members) == 0 {
		return nil
	}
	v := r.store.View(x.at)
	var access, commit, churn, sessions *hot.Values
	if w[SessionBack] != 0 {
		sessions = v.Of(hot.Sessions, members)
	}
	if w[RecencyHour] != 0 || w[Never] != 0 {
		access = v.Of(hot.Recency, members)
	}
	if w[Committed] != 0 || w[Uncommitted] != 0 {
		commit = v.Of(hot.Committed, members)
	}
	if w[Churn] != 0 {
		churn = v.Of(hot.Churn, members)
	}
	if err := v.Load(ctx); err != nil {
		return fmt.Errorf("read scores of %d files: %w", len(members), err)
	}
	for i, c := range p.list {
		c.stored(x, valueAt(access, i), valueAt(commit, i), valueAt(churn, i), valueAt(sessions, i))
	}
	return nil
}
