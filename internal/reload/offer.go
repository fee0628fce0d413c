package reload

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Statements.
const (
	sqlAddOffer    = "INSERT INTO offers (at, session, sequence, similarity) VALUES (?, ?, ?, ?)"
	sqlAcceptOffer = `UPDATE offers SET accepted = ?1 WHERE id =
(SELECT max(id) FROM offers WHERE sequence = ?2 AND (?3 = '' OR session = ?3) AND accepted = 0 AND at >= ?4)`
	sqlCountOffers = "SELECT count(*), coalesce(sum(accepted > 0), 0) FROM offers"
)

// Bounds of offers.
const (
	maxOffer     = 3               // entries of one offer
	maxMatches   = 10              // entries that Find returns
	maxOffers    = 2000            // offers remembered
	offerLife    = 2 * time.Hour   // a later replay does not count as accepting an offer
	maxOfferedTo = 1024            // sessions whose offers are remembered
	maxCompared  = 2 * time.Second // no comparison of files takes longer
)

// Find returns the entries that fit what is asked, the best first: those at or above MinSimilarity whose turn ended well. It reads files
// only of those whose words fit.
func (c *Cache) Find(ctx context.Context, w Worktree, asked event.Asked) ([]Match, error) {
	cfg := c.o.config()
	if cfg.Off {
		return nil, nil
	}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	state, t := "", Trigger{asked.Type, asked.Target}
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
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), b.Entry.Used.Compare(a.Entry.Used), cmp.Compare(a.Entry.ID, b.Entry.ID))
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

// unchanged is the share of an entry's files that are as the sequence left them, 1 without files. A file of unknown content counts as
// changed.
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

// NoteOffer notes that entries were offered to a session, or that the offer was withheld: then shown is false, and they count as not
// offered.
func (c *Cache) NoteOffer(ctx context.Context, session string, offered []Match, shown bool) error {
	c.offering.Lock()
	if c.offered == nil || len(c.offered) >= maxOfferedTo {
		c.offered = map[string]map[string]bool{}
	}
	if c.offered[session] == nil {
		c.offered[session] = map[string]bool{}
	}
	for _, m := range offered {
		c.offered[session][m.Entry.ID] = true
	}
	c.offering.Unlock()
	if !shown {
		return nil
	}
	now := c.o.Now().UnixMilli()
	return c.file.Write(ctx, "note an offer", func(tx *cold.Tx) error {
		for _, m := range offered {
			if _, err := tx.Exec(sqlAddOffer, now, session, m.Entry.ID, m.Similarity); err != nil {
				return err
			}
		}
		_, err := tx.Exec("DELETE FROM offers WHERE id <= (SELECT coalesce(max(id), 0) FROM offers) - ?", maxOffers)
		return err
	})
}

// Asked is what began a session's present turn; ok is false if there is none.
func (c *Cache) Asked(session string) (asked event.Asked, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turns[session]
	if t == nil {
		return event.Asked{}, false
	}
	return t.asked, true
}

// Stats are the counts of a cache.
type Stats struct {
	Entries    int
	Bytes      int // as stored
	Recorded   int64
	Lookups    int64   // prompts that were looked up
	Hits       int64   // of these, those that found an entry
	Offered    int64   // entries shown to agents, the newest maxOffers
	Accepted   int64   // of these, those that were replayed within two hours
	Acceptance float64 // Accepted ÷ Offered, 0 if none was offered
	Replays    int64
	Diverged   int64            // of these, those that stopped at a divergence
	Evicted    map[string]int64 // by why
}

// Stats returns the counts.
func (c *Cache) Stats(ctx context.Context) (Stats, error) {
	if err := c.load(ctx); err != nil {
		return Stats{}, err
	}
	s := Stats{Evicted: map[string]int64{}}
	err := c.file.Use(ctx, func(f *cold.File) error {
		_, err := f.Scan(ctx, sqlCountOffers, nil, &s.Offered, &s.Accepted)
		return err
	})
	if err != nil {
		return Stats{}, err
	}
	if s.Offered > 0 {
		s.Acceptance = float64(s.Accepted) / float64(s.Offered)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Entries = len(c.entries)
	for _, e := range c.entries {
		s.Bytes += e.bytes()
	}
	s.Lookups, s.Hits, s.Recorded = c.counts[countLookups], c.counts[countHits], c.counts[countRecorded]
	s.Replays, s.Diverged = c.counts[countReplays], c.counts[countDiverged]
	for name, n := range c.counts {
		if strings.HasPrefix(name, countEvicted+":") {
			s.Evicted[name[len(countEvicted)+1:]] = n
		}
	}
	return s, nil
}

// accept notes that an entry was replayed, and that its newest offer was accepted.
func (c *Cache) accept(ctx context.Context, id, session string, well bool) {
	now := c.o.Now().UTC()
	c.mu.Lock()
	c.count(countReplays)
	if !well {
		c.count(countDiverged)
	}
	if e := c.entries[id]; e != nil {
		e.Used = now.Truncate(time.Millisecond)
		e.Uses++
		if well {
			e.Successes++
		} else {
			e.Failures++
		}
		c.changed(id)
	}
	c.mu.Unlock()
	err := c.file.Write(ctx, "note a replay", func(tx *cold.Tx) error {
		_, err := tx.Exec(sqlAcceptOffer, now.UnixMilli(), id, session, now.Add(-offerLife).UnixMilli())
		return err
	})
	if err != nil {
		c.o.Log.Warn("replay not noted", "err", err)
	}
}
