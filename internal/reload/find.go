package reload

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// contentFloor is the similarity that the words alone must reach. Without it, unchanged files could
// make an entry fit that shares few words.
const contentFloor = 0.5

// Match is an entry that fits the present request.
type Match struct {
	Entry
	Similarity float64 `json:"similarity,omitempty"`  // in [0,1]
	Reason     string  `json:"matchReason,omitempty"` // why it matches: the parts of the similarity, in words
	Recipe     string  `json:"recipe,omitempty"`      // what it edited and ran, in words; "" if it edited nothing
	// Applies means that its edits can still be made as they were made then: git accepts all of its
	// patches, and the request does not differ. If false, only the recipe is of use.
	Applies bool `json:"applies,omitempty"`
	// Differs tells in which values the prompts differ, "" if in none.
	Differs index.Difference `json:"differs,omitempty"`
}

// similarity combines the similarity of the words with the share of the entry's files that are
// unchanged. The trigger adds nothing, because only entries with the same trigger are compared.
func similarity(words, unchanged float64) float64 { return min(0.75*words+0.25*unchanged, 1) }

func percent(f float64) int { return int(f*100 + 0.5) }

// Limits of offers.
const (
	maxOffer     = 3    // entries in one offer
	maxMatches   = 10   // entries that Find returns
	maxOfferedTo = 1024 // sessions whose offers are remembered
)

// Find returns the entries that fit a request, the best first. Their similarity is at least
// MinSimilarity, they are worth an offer, were used within maxIdle, their turn ended well, and all
// of their files exist. For a mere recipe the words alone must reach MinSimilarity: it says what was
// done then, so what became of the files since makes it neither better nor worse. Find reads files
// only for entries whose words fit.
func (c *Cache) Find(ctx context.Context, w Worktree, asked Ask) ([]Match, error) {
	cfg := c.o.Config()
	request := index.NewRequest(event.Clip(asked.Text, maxText))
	if cfg.Off || asked.Type == Prompt && request.Len() < 2 {
		return nil, nil
	}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	found := c.fitting(asked.Trigger, request)
	var out []Match
	now := c.o.Now()
	tried := 0
	for _, m := range found {
		if m.Recipe = m.recipe(); !m.offerable() || m.idle(now) || m.Differs != "" && m.Recipe == "" {
			continue
		}
		files := m.compare(w)
		if files.gone || max(m.Similarity, similarity(m.Similarity, files.unchanged)) < cfg.MinSimilarity {
			continue // git need not be asked
		}
		if m.Recipe != "" && m.Differs == "" && tried < maxOffer {
			tried++
			m.Applies = newPlan(ctx, w, m.Entry, nil).name() != ""
		}
		m.judge(files.unchanged, request.Len() > 0)
		if m.Similarity >= cfg.MinSimilarity {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, byFit)
	return out[:min(len(out), maxMatches)], nil
}

// judge turns the similarity of the words into that of the match, with its reason. unchanged is the
// share of the entry's files that are as they were. A command without words (/review) says where to
// begin and not what to edit: of 10 recipes that followed only such a command, one named a file that
// the turn edited.
func (m *Match) judge(unchanged float64, hasWords bool) {
	m.Reason = fmt.Sprintf("words %d%%, files unchanged %d%%", percent(m.Similarity), percent(unchanged))
	if m.Differs != "" {
		m.Reason += ", another " + string(m.Differs)
	}
	switch {
	case m.Recipe == "" || m.Applies:
		m.Similarity = similarity(m.Similarity, unchanged)
	case !hasWords:
		m.Similarity = 0
	}
}

// byFit sorts the best match first.
func byFit(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID))
}

// fitting returns copies of the entries with the same trigger whose words fit, with the similarity
// of the words, the best first.
func (c *Cache) fitting(t Trigger, request index.Request) (out []Match) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.Trigger != t || !e.well() {
			continue
		}
		s, differs := 0.0, request.Difference(e.request)
		switch {
		case differs == "":
			s = c.requests.Similarity(request, e.request)
		case differs.OfValues():
			s = c.requests.KindSimilarity(request, e.request)
		}
		if s >= contentFloor {
			out = append(out, Match{Entry: *e, Similarity: s, Differs: differs})
		}
	}
	slices.SortFunc(out, byFit)
	return out
}

// NotOffered leaves out entries that the session recorded itself or has been offered before, and
// all beyond maxOffer.
func (c *Cache) NotOffered(session string, found []Match) (out []Match) {
	t := c.o.Turns
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range found {
		if m.Session != session && !t.offered[session][m.ID] && len(out) < maxOffer {
			out = append(out, m)
		}
	}
	return out
}

// NoteOffer records that entries were offered to a session or withheld from it, so that they are
// not offered again.
func (c *Cache) NoteOffer(session string, offered []Match) {
	t := c.o.Turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.offered) >= maxOfferedTo {
		clear(t.offered)
	}
	if t.offered[session] == nil {
		t.offered[session] = map[string]bool{}
	}
	for _, m := range offered {
		t.offered[session][m.ID] = true
	}
}

// used records that an entry was replayed, and whether that succeeded.
func (c *Cache) used(ctx context.Context, id string, well bool) error {
	now := c.o.Now().UTC()
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[id]
	if e == nil {
		return nil
	}
	e.Used = now.Truncate(time.Millisecond)
	e.Uses++
	if well {
		e.Successes++
	} else {
		e.Failures++
	}
	return c.put(ctx, e)
}

// Asked returns the request that began a session's present turn; ok is false if none exists.
func (c *Cache) Asked(ctx context.Context, session string) (asked Ask, ok bool) {
	thread, err := c.o.DB.Thread(ctx, session, maxThread)
	if err != nil {
		c.o.Log.Warn("the prompts of a session cannot be read", "err", err)
	}
	turns := turnsOf(thread, c.o.Turns.endsTurns)
	if len(turns) == 0 {
		return Ask{}, false
	}
	return turns[len(turns)-1].asked, true
}
