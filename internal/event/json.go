package event

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// envelope is the JSON form of an Event without its body. The fields of the body follow in the same
// object.
type envelope struct {
	ID       string    `json:"id"`
	Time     time.Time `json:"time"`
	Kind     Kind      `json:"kind"`
	Origin   string    `json:"origin,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Session  string    `json:"session,omitempty"`
	Subagent string    `json:"subagent,omitempty"`
	Turn     string    `json:"turn,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (e Event) MarshalJSON() ([]byte, error) {
	out, err := json.Marshal(envelope{e.ID, e.Time, e.Kind(), e.Origin, e.Agent, e.Session, e.Subagent, e.Turn})
	if err != nil || e.Body == nil {
		return out, err
	}
	body, err := json.Marshal(e.Body)
	if err != nil || len(body) <= len("{}") {
		return out, err
	}
	out[len(out)-1] = ','
	return append(out, body[1:]...), nil
}

// UnmarshalJSON implements json.Unmarshaler. If the kind is not known the error tells it.
func (e *Event) UnmarshalJSON(data []byte) error {
	var v envelope
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*e = Event{v.ID, v.Time, v.Origin, v.Agent, v.Session, v.Subagent, v.Turn, nil}
	if v.Kind == "" {
		return nil
	}
	var err error
	e.Body, err = ReadBody(v.Kind, func(v any) error { return json.Unmarshal(data, v) })
	return err
}

// ReadBody returns the body of a kind, as decode fills it. If that fails, the body has what could be
// read; it is nil if the kind is not known.
func ReadBody(k Kind, decode func(any) error) (Body, error) {
	empty := NewBody(k)
	if empty == nil {
		return nil, fmt.Errorf("unknown kind of event %.20q", string(k))
	}
	v := reflect.New(reflect.TypeOf(empty))
	v.Elem().Set(reflect.ValueOf(empty))
	err := decode(v.Interface())
	body := v.Elem().Interface().(Body)
	if err == nil && body.Kind() != k {
		err = fmt.Errorf("an event of kind %q has the fields of kind %.20q", string(k), string(body.Kind()))
	}
	return body, err
}
