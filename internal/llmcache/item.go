package llmcache

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
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
	Task        string `json:"task_id,omitempty"` // with turn and session it is the key; random if empty
	Turn        string `json:"turn_id,omitempty"` // random if empty
	Description string `json:"description,omitempty"`
	// number of bytes, if the data follows the request in the stream
	Size      int64           `json:"size"`
	Notes     json.RawMessage `json:"metadata,omitempty"`  // the caller's own data: returned by Read, not by List
	Overwrite bool            `json:"overwrite,omitempty"` // replace an item of the same key
	Data      []byte          `json:"-"`
	// ID of the call: an item that arrives twice with one ID is stored once; may be ""
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

// prepared is an item that was checked and encoded.
type prepared struct {
	Label
	overwrite bool
	call      string
	packed    cold.Packed
}

// prepare checks and encodes an item. All slow work is done here, before the transaction.
func (c *Cache) prepare(session string, it Item, now time.Time) (prepared, error) {
	k, err := Key{session, it.Task, it.Turn}.complete()
	if err != nil {
		return prepared{}, err
	}
	if c.o.Redact != nil {
		it.Description = c.o.Redact(it.Description)
		for _, id := range []string{it.Task, it.Turn} {
			if c.o.Redact(id) != id { // keys are not encrypted
				return prepared{}, bad("use another task or turn", "a task or turn holds what looks like a secret")
			}
		}
	}
	p := prepared{overwrite: it.Overwrite, call: it.Call,
		Label: Label{Key: k.String(), Description: oneLine(it.Description), Size: int64(len(it.Data) + len(it.Notes)),
			At: now.UnixMilli()}}
	if err := p.check(it); err != nil {
		return p, err
	}
	meta, err := codec.Encode(about{p.Description, it.Notes})
	if err != nil {
		return p, err
	}
	p.packed = c.items.Pack(cold.Blob{Key: p.Key, Session: k.Session, Part: k.Task, Size: p.Size, Meta: meta,
		Data: it.Data})
	return p, nil
}

func (p prepared) check(it Item) error {
	switch {
	case p.Size > MaxItem:
		return refuse(CodeTooLarge, "store it in parts", "%s has %s bytes, an item at most %s",
			p.Key, humanize.Comma(p.Size), humanize.Comma(MaxItem))
	case len(it.Notes) > maxNotes:
		return refuse(CodeTooLarge, "store the metadata as part of the data", "the metadata of %s has %s bytes, at most %s are allowed",
			p.Key, humanize.Comma(int64(len(it.Notes))), humanize.Comma(maxNotes))
	case len(p.Description) > maxDescription:
		return refuse(CodeTooLarge, "shorten it", "the description of %s has %d bytes, at most %d are allowed",
			p.Key, len(p.Description), maxDescription)
	case len(it.Notes) > 0 && !json.Valid(it.Notes):
		return bad("give a JSON object", "the metadata of %s is not JSON", p.Key)
	}
	if raw, err := json.Marshal(p.Label); err != nil || len(raw) > maxLabel {
		return refuse(CodeTooLarge, "shorten the description or the ids",
			"the label of %s has %d bytes, at most %d are allowed",
			p.Key, len(raw), maxLabel)
	}
	return nil
}

// oneLine turns a description into one line of printable characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"),
		func(r rune) bool { return r == ' ' || unicode.IsControl(r) }), " ")
}
