package session

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/index"
)

// summary is the stored part of a session: what precedes the prompts and actions that are shown one by one.
type summary struct {
	Form   int     `json:"v"`
	Said   int64   `json:"said,omitempty"` // number of the last prompt in Gists
	Done   int64   `json:"done,omitempty"` // number of the last action in Phases and Work
	Last   int64   `json:"last,omitempty"` // unix ms of the newest event in it
	Gists  []gist  `json:"gists,omitempty"`
	Phases []phase `json:"phases,omitempty"`
	Work   work    `json:"work"`
	Stamp  stamp   `json:"stamp"`
}

// gist is an older prompt in short.
type gist struct {
	At   int64  `json:"at"` // unix ms
	Text string `json:"text"`
}

const (
	summaryForm     = 1
	maxGists        = 12
	maxSummaryBytes = 1 << 20 // bytes of a stored form
)

func (d *summary) encode() ([]byte, error) {
	d.Form = summaryForm
	return json.Marshal(d)
}

// decodeSummary reads the stored form. ok is false for anything else: the summary is made again from the log.
func decodeSummary(data []byte) (d summary, ok bool) {
	if len(data) == 0 || len(data) > maxSummaryBytes || json.Unmarshal(data, &d) != nil || d.Form != summaryForm {
		return summary{}, false
	}
	if d.Said < 0 || d.Done < 0 || len(d.Gists) > maxGists || len(d.Phases) > maxPhases ||
		len(d.Work.Files) > maxHandles || len(d.Work.Checks) > maxChecks {
		return summary{}, false
	}
	for _, h := range d.Work.Files {
		if h == nil || !(h.Weight >= 0 && h.Weight < 1e9) || h.At < 0 || h.At > d.Work.Clock {
			return summary{}, false
		}
	}
	for _, p := range d.Phases {
		for _, r := range p.Runs {
			if r == nil {
				return summary{}, false
			}
		}
		for _, trail := range p.Trails {
			if len(trail) == 0 {
				return summary{}, false
			}
		}
	}
	return d, !slices.Contains(d.Work.Checks, nil)
}

// addPrompt moves a prompt into the summary.
func (d *summary) addPrompt(seq int64, at time.Time, text string) {
	d.Said = max(d.Said, seq)
	d.Last = max(d.Last, at.UnixMilli())
	if empty(text) {
		return
	}
	s := extract(text, gistTokens)
	if s == "" || len(d.Gists) > 0 && d.Gists[len(d.Gists)-1].Text == s {
		return
	}
	d.Gists = append(d.Gists, gist{at.UnixMilli(), s})
	for len(d.Gists) > 1 && (len(d.Gists) > maxGists || index.Tokens(d.gists()) > gistsTokens) {
		d.dropGist()
	}
}

// dropGist drops the prompt with the fewest terms, but not the newest. The first one weighs more: it has the subject
// of the session.
func (d *summary) dropGist() {
	least, words := 0, math.Inf(1)
	for i, g := range d.Gists[:len(d.Gists)-1] {
		n := float64(len(index.Terms(g.Text, 8))) + float64(i)/2
		if i == 0 && n > 2 {
			n += 8
		}
		if n < words {
			least, words = i, n
		}
	}
	d.Gists = slices.Delete(d.Gists, least, least+1)
}

// Tokens of an older prompt, and of all of them.
const (
	gistTokens  = 24
	gistsTokens = 95
)

// gists are the older prompts on one line, "" without any.
func (d *summary) gists() string {
	if len(d.Gists) == 0 {
		return ""
	}
	out := "Earlier prompts, in short: "
	for i, g := range d.Gists {
		if i > 0 {
			out += "; "
		}
		out += quote(g.Text)
	}
	return out + "."
}

// addAction moves an action into the summary.
func (d *summary) addAction(a Action) {
	d.Done = max(d.Done, a.Seq)
	d.Last = max(d.Last, a.At.UnixMilli())
	d.Phases = foldPhases(d.Phases, a)
	d.Work.fold(a)
}

// maxSummaries bounds the sessions that have a summary: those asked about last.
const maxSummaries = 500

// loadSummary reads a session's summary. One that cannot be read counts as none: it is made again.
func (s *Store) loadSummary(ctx context.Context, session string) (d summary, ok bool, err error) {
	v, found, err := s.summaries.Get(ctx, session)
	if errors.Is(err, cold.ErrRow) || errors.Is(err, cold.ErrLostKey) {
		return d, false, nil
	}
	if err != nil || !found {
		return d, false, err
	}
	d, ok = decodeSummary(v.Data)
	return d, ok, nil
}

func (s *Store) saveSummary(ctx context.Context, session string, d *summary) error {
	body, err := d.encode()
	if err != nil {
		return err
	}
	packed := s.summaries.Pack(cold.Blob{Key: session, Session: session, Data: body})
	_, err = s.summaries.Write(ctx, "save summary", func(tx *cold.BlobTx) error { return tx.Put(packed) })
	return err
}
