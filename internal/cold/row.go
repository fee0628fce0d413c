package cold

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
)

// row is a row of the table events.
type row struct {
	id, seq, at int64
	kind        event.Kind
	event       event.Event // the envelope: everything but Time and Body
	counted     sql.NullInt64
	body, text  []byte
}

const (
	rowColumns = "id, seq, time, kind, name, origin, agent, session, subagent, turn, counted, body, text"
	rowWidth   = 13
)

// ofPeer is the value in the column counted for an event of another clone. Such events are in no
// totals.
const ofPeer = 2

// scan reads a row with the columns of rowColumns.
func (r *row) scan(from Row) error {
	e := &r.event
	err := from.Scan(&r.id, &r.seq, &r.at, (*string)(&r.kind), &e.ID, &e.Origin, &e.Agent, &e.Session, &e.Subagent,
		&e.Turn, &r.counted, &r.body, &r.text)
	if errors.Is(err, ErrRow) {
		return fmt.Errorf("event %d: %w", r.id, err)
	}
	return err
}

// values returns the columns of the row in the order of rowColumns.
func (r *row) values() []any {
	e := r.event
	return []any{r.id, r.seq, r.at, string(r.kind), e.ID, e.Origin, e.Agent, e.Session, e.Subagent, e.Turn, r.counted,
		r.body, r.text}
}

// encodeRow returns the row of an event. Its text is sealed, because it has the words of a person
// or an agent. The text of a commit is not sealed, because git has it anyway.
func encodeRow(e event.Event, seal *Seal) (*row, error) {
	r := &row{at: e.Time.UnixMilli(), kind: e.Kind(), event: e}
	if n := countedOf(e); n != 0 {
		r.counted = sql.NullInt64{Int64: n, Valid: true}
	}
	open := e.WithoutText()
	if open.Sealed() != e.Sealed() {
		r.text = seal.Seal(textOf(e.ID), []byte(e.Sealed()))
	}
	var err error
	if r.body, err = codec.Encode(open.Body); err != nil {
		return nil, fmt.Errorf("%w: event %q: %w", ErrRow, e.ID, err)
	}
	return r, nil
}

// textOf returns the name to which the sealed text of an event is bound.
func textOf(id string) string { return "event " + id }

// folded returns the event as consumers get it (event.Event.WithoutText). If the error is ErrRow,
// the event has what could be read.
func (r *row) folded() (event.Event, error) {
	e := r.event
	e.Time = moment(r.at)
	body, err := event.ReadBody(r.kind, func(v any) error { return codec.Decode(r.body, v) })
	if e.Body = event.NewBody(r.kind); err == nil {
		e.Body = body
	}
	if err == nil && e.Time.UnixMilli() != r.at {
		err = errors.New("its time is outside of the years 0 to 9999")
	}
	if err != nil {
		err = fmt.Errorf("%w: event %d: %w", ErrRow, r.id, err)
	}
	return e, err
}

// withText is the inverse of encodeRow. If the key of the text is lost, the text is empty and
// everything else is there.
func (r *row) withText(seal *Seal) (event.Event, error) {
	e, err := r.folded()
	if err != nil || len(r.text) == 0 {
		return e, err
	}
	text, err := seal.Open(textOf(e.ID), r.text)
	if errors.Is(err, ErrRow) {
		return e, fmt.Errorf("event %d: %w", r.id, err)
	}
	e.Unseal(string(text))
	return e, nil
}

// moment decodes a stored time. A time that JSON cannot express comes from a damaged row; it
// becomes a time in the year 0 or 9999.
func moment(ms int64) time.Time {
	const first, last = -62167219200_000, 253402300799_999
	return time.UnixMilli(min(max(ms, first), last)).UTC()
}

// countedOf returns the value of the column counted for a new row, 0 for NULL.
func countedOf(e event.Event) int64 {
	switch {
	case e.Origin != "":
		return ofPeer
	case e.Kind() == event.KindCommit:
		return 1
	case e.Kind() == event.KindUncommit:
		return -1
	}
	return 0
}

// digestOf returns the digest by which an event is recognized when it is delivered again. A commit
// and its uncommits have the same digest.
func digestOf(e event.Event) int64 {
	if n := countedOf(e); n == 1 || n == -1 {
		return digest("commit:" + commitName(e.ID))
	}
	return digest(e.ID)
}

// digest hashes an ID. The digest stays when an event is forgotten: it is enough to recognize the
// ID, and too little to reveal it.
func digest(id string) int64 {
	sum := sha256.Sum256([]byte(id))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// commitName returns the sha in an ID of the form "commit:<sha>", "uncommit:<sha>" or
// "uncommit:<sha>:<new tip>". Any other ID is returned as it is.
func commitName(id string) string {
	if _, name, ok := strings.Cut(id, "commit:"); ok {
		id, _, _ = strings.Cut(name, ":")
	}
	return id
}
