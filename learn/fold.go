package learn

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
)

// The constants that doc.go describes.
const (
	caused      = 0.25               // weight of an access that a suggestion led to
	causedAge   = 2 * 24 * time.Hour // how much older such an access counts: two half-lives of a day make a quarter
	maxTags     = 5
	coaccessMax = 20
	coaccessGap = 0.15
	maxTerms    = 32 // most words that are connected with an opened file

	editShare = 0.5
	editMax   = 20

	commitMax = 100
)

// Apply adds an event to the weights. s is its session after the event, nil if none exists, and d
// says what the event changed in the session.
func (l *Learner) Apply(e event.Event, s *session.Session, d session.Delta) {
	switch b := e.Body.(type) {
	case event.Commit:
		l.commit(b, e.Time, 1)
	case event.Uncommit:
		l.commit(event.Commit(b), e.Time, -1)
	case event.Rename:
		for i, to := range b.To[:min(len(b.To), len(b.From))] {
			if b.Past {
				break
			}
			l.Rename(b.From[i], to)
		}
	case event.Tick:
		if b.Job == "sweep" {
			l.Sweep(e.Time)
		}
	}
	for _, c := range d.Changes {
		l.change(c)
	}
	for _, w := range d.Terms {
		l.Add(hot.TermFreq, "", w, e.Time, termWeight(s))
	}
	if len(d.Opened) > 0 {
		l.opens(e, s, d)
	}
}

// opens adds the accesses of an event.
func (l *Learner) opens(e event.Event, s *session.Session, d session.Delta) {
	c := 1.0
	if d.Hinted {
		c *= caused
	}
	tags := e.Tags()
	tags = tags[:min(maxTags, len(tags))]
	for _, t := range tags {
		l.Add(hot.TagFreq, "", t, e.Time, c)
	}
	at := e.Time
	if d.Hinted {
		at = at.Add(-causedAge)
	}
	for _, o := range d.Opened {
		l.Stamp(hot.Recency, string(o.Path), at)
		l.Add(hot.Frequency, "", string(o.Path), e.Time, c)
		for _, t := range tags {
			l.Add(hot.TagFiles, t, string(o.Path), e.Time, c)
			l.Add(hot.FileTags, string(o.Path), t, e.Time, c)
		}
		if o.First {
			l.first(e, o, c)
		}
		if o.Fresh {
			for _, w := range newestWords(s) {
				l.Add(hot.TermFiles, w, string(o.Path), e.Time, c*termWeight(s))
			}
		}
	}
}

// first connects the first open of a file in a session with the files opened before it.
func (l *Learner) first(e event.Event, o session.Opened, c float64) {
	l.Add(hot.Sessions, "", string(o.Path), e.Time, c)
	before := o.Prior[max(0, len(o.Prior)-coaccessMax):]
	for i, q := range before {
		d := float64(len(before) - i)
		w := c / (1 + coaccessGap*(d-1))
		l.Add(hot.Coaccess, string(o.Path), string(q), e.Time, w)
		l.Add(hot.Coaccess, string(q), string(o.Path), e.Time, w)
	}
}

// termWeight returns the weight of each word of the turn, both where the word is used and where a
// file is opened: 1/√n for a prompt of n words.
func termWeight(s *session.Session) float64 {
	return 1 / math.Sqrt(float64(max(len(s.Prompt.Words), 1)))
}

// newestWords returns the newest words of the turn; ties are ordered by name.
func newestWords(s *session.Session) []string {
	words := slices.SortedFunc(maps.Keys(s.Terms), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Terms[b], s.Terms[a]), cmp.Compare(a, b))
	})
	return words[:min(maxTerms, len(words))]
}
