package reload

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of offers.
const (
	maxOffer     = 3               // entries of one offer
	maxMatches   = 10              // entries that Find returns
	maxOffers    = 1000            // offers remembered
	offerLife    = 2 * time.Hour   // a later replay does not count as accepting an offer
	maxOfferedTo = 1024            // sessions whose offers are remembered
	maxCompared  = 2 * time.Second // no comparison of files takes longer
)

// offer is an entry that a session was shown.
type offer struct {
	at          time.Time
	session, id string
}

// Find returns the entries that fit what is asked, the best first: those at or above MinSimilarity whose turn ended
// well. It reads files only of those whose words fit.
func (c *Cache) Find(ctx context.Context, w Worktree, asked Ask) ([]Match, error) {
	cfg := c.o.config()
	if cfg.Off {
		return nil, nil
	}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	state, t := "", asked.Trigger
	if t.exact() && w.State != nil {
		state = w.State(ctx)
	}
	f := newFingerprint(t, event.Clip(asked.Text, maxText), state)
	if t.Type == Prompt && f.request.Len() < 2 {
		return nil, nil
	}
	found := c.fitting(f)
	dir, err := os.OpenRoot(string(w.Root))
	if err != nil {
		return nil, fmt.Errorf("check the files: %w", err)
	}
	defer dir.Close()
	ctx, cancel := context.WithTimeout(ctx, maxCompared)
	defer cancel()
	out := found[:0]
	for _, m := range found {
		if ctx.Err() != nil {
			break
		}
		if t.exact() {
			m.Similarity, m.Reason = exactSimilarity(f, m.Entry, m.Similarity)
		} else {
			m.Similarity, m.Reason = promptSimilarity(m.Similarity, c.unchanged(dir, m.Entry))
		}
		if m.Similarity >= cfg.MinSimilarity {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), b.Entry.Used.Compare(a.Entry.Used),
			cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	out = out[:min(len(out), maxMatches)]
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(countLookups)
	if len(out) > 0 {
		c.count(countHits)
	}
	return out, nil
}

// fitting are copies of the entries whose words fit. Similarity is that of the words.
func (c *Cache) fitting(f fingerprint) (out []Match) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.index.candidates(f) {
		if !e.Outcome.well() {
			continue
		}
		if j := c.index.content(f, e); j > 0 {
			same := *e
			out = append(out, Match{Entry: &same, Similarity: j})
		}
	}
	return out
}

// unchanged is the share of an entry's files that are as the sequence left them, 1 without files. A file of unknown
// content counts as changed.
func (c *Cache) unchanged(dir *os.Root, e *Entry) float64 {
	if len(e.Files) == 0 {
		return 1
	}
	same := 0
	for _, f := range e.Files {
		if f.After != "" && c.hashes.in(dir, f.Path) == f.After {
			same++
		}
	}
	return float64(same) / float64(len(e.Files))
}

// NotOffered leaves out what the session did itself or was offered before, and all beyond maxOffer.
func (c *Cache) NotOffered(session string, found []Match) []Match {
	c.offering.Lock()
	defer c.offering.Unlock()
	var out []Match
	for _, m := range found {
		if m.Entry.Session != session && !c.offered[session][m.Entry.ID] && len(out) < maxOffer {
			out = append(out, m)
		}
	}
	return out
}

// NoteOffer notes that entries were offered to a session, or that the offer was withheld: then shown is false, and
// they count as not offered.
func (c *Cache) NoteOffer(session string, offered []Match, shown bool) {
	now := c.o.Now()
	c.offering.Lock()
	if c.offered == nil || len(c.offered) >= maxOfferedTo {
		c.offered = map[string]map[string]bool{}
	}
	if c.offered[session] == nil {
		c.offered[session] = map[string]bool{}
	}
	for _, m := range offered {
		c.offered[session][m.Entry.ID] = true
		if shown {
			c.open = append(c.open, offer{now, session, m.Entry.ID})
		}
	}
	c.open = c.open[max(0, len(c.open)-maxOffers):]
	c.offering.Unlock()
	if shown {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.add(countOffered, int64(len(offered)))
		c.signal()
	}
}

// accepted reports whether an entry was offered to the session, "" is any, within offerLife, and takes its newest
// offer.
func (c *Cache) accepted(id, session string, now time.Time) bool {
	c.offering.Lock()
	defer c.offering.Unlock()
	for i, o := range slices.Backward(c.open) {
		if o.id == id && (session == "" || o.session == session) && now.Sub(o.at) <= offerLife {
			c.open = slices.Delete(c.open, i, i+1)
			return true
		}
	}
	return false
}

// Asked is what began a session's present turn; ok is false if there is none.
func (c *Cache) Asked(ctx context.Context, session string) (asked Ask, ok bool) {
	c.folded.mu.Lock()
	t := c.folded.Now[session]
	c.folded.mu.Unlock()
	if t == nil {
		return Ask{}, false
	}
	return c.asked(ctx, t), true
}

// Stats are the counts of a cache.
type Stats struct {
	Entries    int              `json:"entries"`
	Bytes      int              `json:"bytes"` // as stored
	Recorded   int64            `json:"recorded"`
	Lookups    int64            `json:"lookups"`    // prompts that were looked up
	Hits       int64            `json:"hits"`       // of these, those that found an entry
	Offered    int64            `json:"offered"`    // entries shown to agents
	Accepted   int64            `json:"accepted"`   // of these, those that were replayed within two hours
	Acceptance float64          `json:"acceptance"` // Accepted ÷ Offered, 0 if none was offered
	Replays    int64            `json:"replays"`
	Diverged   int64            `json:"diverged"` // of these, those that stopped at a divergence
	Evicted    map[string]int64 `json:"evicted"`  // by why: idle, failing, stale, full
}

// Stats returns the counts.
func (c *Cache) Stats(ctx context.Context) (Stats, error) {
	if err := c.load(ctx); err != nil {
		return Stats{}, err
	}
	s := Stats{Evicted: map[string]int64{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Entries = len(c.entries)
	for _, e := range c.entries {
		s.Bytes += e.bytes()
	}
	s.Lookups, s.Hits, s.Recorded = c.counts[countLookups], c.counts[countHits], c.counts[countRecorded]
	s.Offered, s.Accepted = c.counts[countOffered], c.counts[countAccepted]
	if s.Offered > 0 {
		s.Acceptance = float64(s.Accepted) / float64(s.Offered)
	}
	s.Replays, s.Diverged = c.counts[countReplays], c.counts[countDiverged]
	for name, n := range c.counts {
		if strings.HasPrefix(name, countEvicted+":") {
			s.Evicted[name[len(countEvicted)+1:]] = n
		}
	}
	return s, nil
}

// accept notes that an entry was replayed, and that its newest offer was accepted.
func (c *Cache) accept(id, session string, well bool) {
	now := c.o.Now().UTC()
	offered := c.accepted(id, session, now)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(countReplays)
	if offered {
		c.count(countAccepted)
	}
	if !well {
		c.count(countDiverged)
	}
	e := c.entries[id]
	if e == nil {
		return
	}
	e.Used = now.Truncate(time.Millisecond)
	e.Uses++
	if well {
		e.Successes++
	} else {
		e.Failures++
	}
	c.changed(id)
}
