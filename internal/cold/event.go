package cold

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
)

// eventRow is a row of intent_log.
type eventRow struct {
	batch, pos                 int64
	id                         string
	at                         int64
	kind, agent, session, tool string
	files, tags, rest          string
	raw                        bool
	sealed                     []byte // the text; nil: there is none, or it is in rest
}

// fields are where a row of the usual columns is scanned to.
func (r *eventRow) fields() []any {
	return []any{&r.batch, &r.pos, &r.id, &r.at, &r.kind, &r.agent, &r.session, &r.tool, &r.files, &r.tags, &r.rest, &r.raw, &r.sealed}
}

// scan reads a row of the usual columns behind others.
func (r *eventRow) scan(row Row, before ...any) error {
	err := row.Scan(append(before, r.fields()...)...)
	if errors.Is(err, ErrRow) && r.id != "" {
		return fmt.Errorf("event %q: %w", r.id, err)
	}
	return err
}

// restOfEvent is an event without the fields that have columns of their own: the outer fields hide the inner
// ones, so that a field which is added to event.Event later is stored without a change here.
type restOfEvent struct {
	event.Event
	ID      *struct{} `json:"id,omitempty"`
	Time    *struct{} `json:"time,omitempty"`
	Kind    *struct{} `json:"kind,omitempty"`
	Agent   *struct{} `json:"agent,omitempty"`
	Session *struct{} `json:"session,omitempty"`
	Tool    *struct{} `json:"tool,omitempty"`
	Paths   *struct{} `json:"paths,omitempty"`
	Tags    *struct{} `json:"tags,omitempty"`
}

// encode makes the row of a canonical event. Its text, words of a person or an agent, goes under the seal.
func encode(e event.Event, seal *Seal) (eventRow, error) {
	r := eventRow{id: e.ID, at: e.Time.UnixMilli(), kind: string(e.Kind), agent: e.Agent, session: e.Session, tool: e.Tool}
	if seal != nil && e.Text != "" {
		r.sealed, e.Text = seal.Seal(textOf(e.ID), []byte(e.Text)), ""
	}
	if r.raw = !isUTF8(e); r.raw {
		e = mapStrings(e, latin)
	}
	var err error
	if r.files, err = list(event.Strings(e.Paths)); err != nil {
		return r, fmt.Errorf("encode event %q: %w", r.id, err)
	}
	if r.tags, err = list(e.Tags); err != nil {
		return r, fmt.Errorf("encode event %q: %w", r.id, err)
	}
	rest, err := json.Marshal(restOfEvent{Event: e})
	if err != nil {
		return r, fmt.Errorf("encode event %q: %w", r.id, err)
	}
	r.rest = string(rest)
	return r, nil
}

func list(s []string) (string, error) {
	if len(s) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal(s)
	return string(b), err
}

// textOf is what the text of an event belongs to.
func textOf(id string) string { return "event " + id }

// event is the inverse of encode. A text whose key is lost is empty: all else of the event is there. With ErrRow the
// event has what its own columns say.
func (r eventRow) event(seal *Seal) (event.Event, error) {
	e, err := r.decode(seal)
	e.ID, e.Time, e.Kind = r.id, moment(r.at), event.Kind(r.kind)
	e.Agent, e.Session, e.Tool = r.agent, r.session, r.tool
	if err != nil {
		return e, fmt.Errorf("%w: event %q: %w", ErrRow, r.id, err)
	}
	return canonical(e), nil
}

// decode reads what has no column of its own. Its errors are all of the row's making.
func (r eventRow) decode(seal *Seal) (event.Event, error) {
	if !Possible(r.at) {
		return event.Event{}, errors.New("its time cannot be")
	}
	var rest restOfEvent
	err := json.Unmarshal([]byte(r.rest), &rest)
	e := rest.Event
	if err == nil && r.files != "[]" {
		err = json.Unmarshal([]byte(r.files), &e.Paths)
	}
	if err == nil && r.tags != "[]" {
		err = json.Unmarshal([]byte(r.tags), &e.Tags)
	}
	if err != nil {
		return event.Event{}, err
	}
	if r.raw {
		e = mapStrings(e, unlatin)
	}
	if len(r.sealed) > 0 {
		text, err := seal.Open(textOf(r.id), r.sealed)
		if errors.Is(err, ErrRow) {
			return event.Event{}, err
		}
		e.Text = string(text)
	}
	return e, nil
}

// moment is a stored time.
func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// canonical gives an event the one form that it has after it was stored: milliseconds in UTC without a
// monotonic clock, no empty lists, no scores that are no numbers. What Append hands on equals what Replay
// hands on later, and so does what is learned from it.
func canonical(e event.Event) event.Event {
	e.Time = moment(e.Time.UnixMilli())
	if !e.Author.IsZero() {
		e.Author = moment(e.Author.UnixMilli())
	}
	if !Possible(e.Author.UnixMilli()) { // git takes any number; JSON does not, and it is for show only
		e.Author = time.Time{}
	}
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 && !f.IsNil() {
			f.SetZero()
		}
	}
	for i, s := range e.Scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			e.Scores = append([]float64(nil), e.Scores...)
			e.Scores[i] = 0
		}
	}
	if e.Agent == "" && (e.Kind == event.KindCommit || e.Kind == event.KindUncommit) {
		e.Agent = gitAgent
	}
	return e
}

// eachString calls fn with every string of the event, in fields and in lists.
func eachString(v reflect.Value, fn func(s reflect.Value)) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Kind() == reflect.String:
			fn(f)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.String:
			for j := range f.Len() {
				fn(f.Index(j))
			}
		}
	}
}

func isUTF8(e event.Event) bool {
	ok := true
	eachString(reflect.ValueOf(&e).Elem(), func(s reflect.Value) { ok = ok && utf8.ValidString(s.String()) })
	return ok
}

// mapStrings returns a copy of the event with every string replaced.
func mapStrings(e event.Event, fn func(string) string) event.Event {
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && !f.IsNil() {
			own := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
			reflect.Copy(own, f)
			f.Set(own)
		}
	}
	eachString(v, func(s reflect.Value) { s.SetString(fn(s.String())) })
	return e
}

// latin reads every byte as the character with that number: JSON has no bytes, and would lose what is not UTF-8.
func latin(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// unlatin is the inverse of latin.
func unlatin(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}
