package llmcache

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Limits. Sizes are in bytes before compression.
const (
	MaxItem        = 5 << 20        // bytes of an item's data and notes
	maxNotes       = 16 << 10       // bytes of an item's notes
	maxDescription = 300            // bytes of a description
	maxLabel       = 500            // bytes of a label's JSON form
	Quota          = 50 << 20       // bytes of a session's items
	life           = 24 * time.Hour // how long items are kept after the last event of their session
)

// Item is an item to be stored.
type Item struct {
	Task        string          `json:"task_id,omitempty"` // with turn and session it is the key; made from the id of the call if empty
	Turn        string          `json:"turn_id,omitempty"` // made from the id of the call if empty
	Description string          `json:"description,omitempty"`
	Notes       json.RawMessage `json:"metadata,omitempty"`  // the caller's own data: returned by Read, not by List
	Overwrite   bool            `json:"overwrite,omitempty"` // replace an item of the same key
	Data        []byte          `json:"data"`                // base64 in JSON; "" for an empty item
	// ID of the call, from which missing IDs are made, so that a repeated call stores nothing new; may
	// be ""
	Call string `json:"-"`
}

// Label describes an item without loading it.
type Label struct {
	Key         string `json:"key"`
	Description string `json:"description"`
	Size        int64  `json:"size"`      // bytes of data and notes
	At          int64  `json:"timestamp"` // unix milliseconds of the last write
}

// about is what is stored of an item besides its data.
type about struct {
	Description string          `json:"description"`
	Notes       json.RawMessage `json:"notes,omitempty"`
}

// prepare checks an item, and returns its label and the blob to be stored.
func (c *Cache) prepare(session string, it Item, now time.Time) (Label, cold.Blob, error) {
	k, err := Key{session, it.Task, it.Turn}.complete(it.Call)
	if err != nil {
		return Label{}, cold.Blob{}, err
	}
	if c.o.Redact != nil {
		it.Description = c.o.Redact(it.Description)
		for _, id := range []string{it.Task, it.Turn} {
			if c.o.Redact(id) != id { // keys are not encrypted
				return Label{}, cold.Blob{}, event.BadRequest("use another task or turn", "a task or turn holds what looks like a secret")
			}
		}
	}
	l := Label{Key: k.String(), Description: oneLine(it.Description), Size: int64(len(it.Data) + len(it.Notes)),
		At: now.UnixMilli()}
	if err := l.check(it.Notes); err != nil {
		return l, cold.Blob{}, err
	}
	meta, err := codec.Encode(about{l.Description, it.Notes})
	return l, cold.Blob{Key: l.Key, Session: k.Session, Part: k.Task, Size: l.Size, Written: now, Meta: meta,
		Data: it.Data}, err
}

// check returns an error if an item is too large, or if its notes are no JSON.
func (l Label) check(notes json.RawMessage) error {
	switch {
	case l.Size > MaxItem:
		return event.Refuse(event.CodeTooLarge, "store it in parts", "%s has %s bytes, an item at most %s",
			l.Key, humanize.Comma(l.Size), humanize.Comma(MaxItem))
	case len(notes) > maxNotes:
		return event.Refuse(event.CodeTooLarge, "store the metadata as part of the data",
			"the metadata of %s has %s bytes, at most %s are allowed",
			l.Key, humanize.Comma(int64(len(notes))), humanize.Comma(maxNotes))
	case len(l.Description) > maxDescription:
		return event.Refuse(event.CodeTooLarge, "shorten it", "the description of %s has %d bytes, at most %d are allowed",
			l.Key, len(l.Description), maxDescription)
	case len(notes) > 0 && !json.Valid(notes):
		return event.BadRequest("give a JSON object", "the metadata of %s is not JSON", l.Key)
	}
	if raw, err := json.Marshal(l); err != nil || len(raw) > maxLabel {
		return event.Refuse(event.CodeTooLarge, "shorten the description or the ids",
			"the label of %s has %d bytes, at most %d are allowed", l.Key, len(raw), maxLabel)
	}
	return nil
}

// oneLine turns a description into one line of printable characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"),
		func(r rune) bool { return r == ' ' || unicode.IsControl(r) }), " ")
}
