package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlSaveRequest = `INSERT INTO requests (id, session, side, at, model, input, cache_read, cache_write, output)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (id) DO UPDATE SET output = max(output, ?9)`
	sqlSaveTranscript = "INSERT INTO transcripts (file, done) VALUES (?1, ?2) ON CONFLICT (file) DO UPDATE SET done = ?2"
	sqlRequests       = `SELECT session, side, at, model, input, cache_read, cache_write, output FROM requests
WHERE session IN (SELECT session FROM requests GROUP BY session ORDER BY max(at) DESC, session LIMIT ?) ORDER BY session, side, at, id`
)

// ModelRequest is a request to a model, with the tokens that were read from and written to the prompt cache.
type ModelRequest struct {
	ID      string // of the answer; a repeated one counts once
	Session string
	Side    bool // made by a subagent, in a conversation of its own
	At      time.Time
	Model   string
	Input   int64 // tokens that are not cached
	Write   int64 // tokens written to the cache
	Read    int64 // tokens read from the cache
	Output  int64
}

// Cached sums up the requests of a session; Session "" is the sum of all.
type Cached struct {
	Session                    string
	Last                       time.Time
	Models                     []string
	Requests                   int
	Input, Write, Read, Output int64
	Share                      float64 // Read ÷ (Input + Write + Read)
	Breaks                     int     // requests that read less than half of what the one before left in the cache
}

// TranscriptRead returns up to which byte a transcript was read.
func (s *Store) TranscriptRead(ctx context.Context, file string) (done int64, err error) {
	err = s.summaries.UseExisting(ctx, func(f *cold.File) error {
		_, err := f.Scan(ctx, "SELECT done FROM transcripts WHERE file = ?", []any{file}, &done)
		return err
	})
	return done, err
}

// AddRequests stores requests, and up to which byte their transcript was read, in one transaction.
func (s *Store) AddRequests(ctx context.Context, file string, done int64, requests []ModelRequest) error {
	return s.summaries.Write(ctx, "add requests", func(tx *cold.Tx) error {
		for _, r := range requests {
			side := map[bool]int{true: 1}[r.Side]
			if _, err := tx.Exec(sqlSaveRequest, r.ID, r.Session, side, r.At.UnixMilli(), r.Model, r.Input, r.Read, r.Write,
				r.Output); err != nil {
				return err
			}
		}
		_, err := tx.Exec(sqlSaveTranscript, file, done)
		return err
	})
}

// PromptCache sums up the sessions with the newest requests, the newest first, and all of these at the end.
func (s *Store) PromptCache(ctx context.Context, limit int) ([]Cached, error) {
	by := map[string]*Cached{}
	total := &Cached{}
	var before ModelRequest
	add := func(rows cold.Row) error {
		var r ModelRequest
		var at int64
		if err := rows.Scan(&r.Session, &r.Side, &at, &r.Model, &r.Input, &r.Read, &r.Write, &r.Output); err != nil {
			return err
		}
		if !cold.Possible(at) {
			return fmt.Errorf("%w: a request of session %q: its time is impossible", cold.ErrRow, r.Session)
		}
		r.At = time.UnixMilli(at).UTC()
		if by[r.Session] == nil {
			by[r.Session] = &Cached{Session: r.Session}
		}
		// Subagents begin conversations of their own at any time: what they find is no break of another.
		broke := !r.Side && !before.Side && before.Session == r.Session && 2*r.Read < before.Read+before.Write
		by[r.Session].add(r, broke)
		total.add(r, broke)
		before = r
		return nil
	}
	err := s.summaries.UseExisting(ctx, func(f *cold.File) error { return f.Each(ctx, sqlRequests, []any{limit}, add) })
	out := make([]Cached, 0, len(by)+1)
	for _, c := range by {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Cached) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Session, b.Session)) })
	return append(out, *total), err
}

func (c *Cached) add(r ModelRequest, broke bool) {
	c.Requests++
	c.Input, c.Write, c.Read, c.Output = c.Input+r.Input, c.Write+r.Write, c.Read+r.Read, c.Output+r.Output
	if all := c.Input + c.Write + c.Read; all > 0 {
		c.Share = float64(c.Read) / float64(all)
	}
	if broke {
		c.Breaks++
	}
	if r.At.After(c.Last) {
		c.Last = r.At
	}
	if !slices.Contains(c.Models, r.Model) {
		c.Models = append(c.Models, r.Model)
	}
}
