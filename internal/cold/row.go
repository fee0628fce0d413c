package cold

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// row is a row of the table events.
type row struct {
	id, seq, at   int64
	kind, session string
	counted       sql.NullInt64
	body, text    []byte
}

const rowColumns = "id, seq, time, kind, session, counted, body, text"

// scan reads a row of rowColumns.
func (r *row) scan(from Row) error {
	err := from.Scan(&r.id, &r.seq, &r.at, &r.kind, &r.session, &r.counted, &r.body, &r.text)
	if errors.Is(err, ErrRow) {
		return fmt.Errorf("event %d: %w", r.id, err)
	}
	return err
}

// values are the columns of the row in the order of rowColumns.
func (r *row) values() []any {
	return []any{r.id, r.seq, r.at, r.kind, r.session, r.counted, r.body, r.text}
}

// encodeRow makes the row of a canonical event. Its text, words of a person or an agent, goes under the seal; a
// commit's stays open, since git has it.
func encodeRow(e event.Event, seal *Seal, id func(event.Path) int64) *row {
	r := &row{at: e.Time.UnixMilli(), kind: string(e.Kind()), session: e.Session}
	switch e.Kind() {
	case event.KindCommit:
		r.counted, seal = sql.NullInt64{Int64: 1, Valid: true}, nil
	case event.KindUncommit:
		r.counted, seal = sql.NullInt64{Int64: -1, Valid: true}, nil
	}
	if e.Text() != "" {
		r.text = seal.Seal(textOf(e.ID), []byte(e.Text()))
	}
	if r.counted.Valid && e.Agent == gitAgent {
		e.Agent = "" // canonical gives it back
	}
	r.body = encodeBody(e, id)
	return r
}

// textOf is what the text of an event belongs to.
func textOf(id string) string { return "event " + id }

// event is the inverse of encodeRow. A text whose key is lost is empty: all else of the event is there. With ErrRow the
// event has what could be read.
func (r *row) event(seal *Seal, path func(int64) (event.Path, error)) (event.Event, error) {
	return r.decode(seal, path, true)
}

// folded is the event as consumers get it (event.Event.WithoutText).
func (r *row) folded(path func(int64) (event.Path, error)) (event.Event, error) {
	return r.decode(nil, path, r.counted.Valid)
}

func (r *row) decode(seal *Seal, path func(int64) (event.Path, error), withText bool) (event.Event, error) {
	var lost error
	open := func(id string) (text []byte) {
		if withText && len(r.text) > 0 {
			text, lost = seal.Open(textOf(id), r.text)
		}
		return text
	}
	e, err := decodeBody(event.Kind(r.kind), r.body, open, path)
	e.Time, e.Session = moment(r.at), r.session
	switch {
	case err == nil && !Possible(r.at):
		err = errors.New("its time is impossible")
	case err == nil && r.counted.Valid && (r.counted.Int64 < -1 || r.counted.Int64 > 1):
		err = errors.New("it is counted more than once")
	case err == nil && errors.Is(lost, ErrRow):
		err = lost
	}
	if err != nil && !ofDatabase(err) {
		err = fmt.Errorf("%w: event %d: %w", ErrRow, r.id, err)
	}
	return canonical(e), err
}

// moment is a stored time.
func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// gitAgent is the agent of commits that name none.
const gitAgent = "git"

// canonical gives an event the one form that it has after it was stored: milliseconds in UTC without a
// monotonic clock, no empty lists, no scores that are no numbers. What Append hands on equals what Replay
// hands on later, and so does what is learned from it.
func canonical(e event.Event) event.Event {
	e.Time = moment(e.Time.UnixMilli())
	if e.Agent == "" && countedOf(e.Kind()) != 0 {
		e.Agent = gitAgent
	}
	if e.Body == nil {
		return e
	}
	v := reflect.New(reflect.TypeOf(e.Body)).Elem()
	v.Set(reflect.ValueOf(e.Body))
	changed := false
	for i := range v.NumField() {
		f := v.Field(i)
		switch x := f.Interface().(type) {
		case time.Time:
			if !x.IsZero() {
				x = moment(x.UnixMilli())
			}
			if !Possible(x.UnixMilli()) { // git takes any number; JSON does not, and it is for show only
				x = time.Time{}
			}
			f.Set(reflect.ValueOf(x))
			changed = true
		case []float64:
			bad := func(s float64) bool { return math.IsNaN(s) || math.IsInf(s, 0) }
			if slices.ContainsFunc(x, bad) {
				x = slices.Clone(x)
				for i := range x {
					if bad(x[i]) {
						x[i] = 0
					}
				}
				f.Set(reflect.ValueOf(x))
				changed = true
			}
		}
		if f.Kind() == reflect.Slice && f.Len() == 0 && !f.IsNil() {
			f.SetZero()
			changed = true
		}
	}
	if changed {
		e.Body = v.Interface().(event.Body)
	}
	return e
}

// digestOf recognizes an event that is delivered again. A commit and the uncommits that take it back share one.
func digestOf(e event.Event) int64 {
	if countedOf(e.Kind()) != 0 {
		return digest("commit:" + commitName(e.ID))
	}
	return digest(e.ID)
}

// digest is the trace that a forgotten event leaves: enough to recognize its ID, too little to reveal it.
func digest(id string) int64 {
	sum := sha256.Sum256([]byte(id))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// commitName is the sha in an ID "commit:<sha>", "uncommit:<sha>" or "uncommit:<sha>:<new tip>". Any other ID names a
// commit by itself.
func commitName(id string) string {
	for _, prefix := range []string{"commit:", "uncommit:"} {
		id = strings.TrimPrefix(id, prefix)
	}
	if name, _, _ := strings.Cut(id, ":"); decodeSHA(name) != nil {
		return name
	}
	return id
}

// shaOf returns the bytes of the sha that an ID consists of but for "commit:", nil for any other.
func shaOf(id string) []byte {
	name, ok := strings.CutPrefix(id, "commit:")
	if !ok {
		return nil
	}
	return decodeSHA(name)
}

func decodeSHA(name string) []byte {
	if len(name) != 40 && len(name) != 64 {
		return nil
	}
	b, err := hex.DecodeString(name)
	if err != nil || hex.EncodeToString(b) != name {
		return nil
	}
	return b
}

func commitID(sha []byte) (string, error) {
	if len(sha) != 20 && len(sha) != 32 {
		return "", errBody
	}
	return "commit:" + hex.EncodeToString(sha), nil
}
