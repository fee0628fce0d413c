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
	*e = Event{v.ID, v.Time, v.Origin, v.Agent, v.Session, v.Subagent, v.Turn, NewBody(v.Kind)}
	if e.Body == nil {
		if v.Kind == "" {
			return nil
		}
		return fmt.Errorf("unknown kind of event %.20q", string(v.Kind))
	}
	body := reflect.New(reflect.TypeOf(e.Body))
	body.Elem().Set(reflect.ValueOf(e.Body))
	err := json.Unmarshal(data, body.Interface())
	e.Body = body.Elem().Interface().(Body)
	if err == nil && e.Kind() != v.Kind {
		err = fmt.Errorf("an event of kind %q has the fields of kind %.20q", string(v.Kind), string(e.Kind()))
	}
	return err
}
