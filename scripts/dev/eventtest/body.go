// Package eventtest makes events for tests of other packages.
package eventtest

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Fields has the values of some fields of a body, by the names of the fields.
type Fields map[string]any

// Body returns a body of a kind that is about some files. For a rename these are the new names.
func Body(k event.Kind, paths ...event.Path) event.Body {
	return Fill(k, Fields{"Paths": paths, "To": paths})
}

// Fill returns a body of a kind with values for all fields that this kind uses.
func Fill(k event.Kind, fields Fields) event.Body {
	e := event.Event{Body: event.NewBody(k)}
	for name, v := range fields {
		set(&e, name, v)
	}
	return e.Body
}

// Full returns a body of a kind in which every stored field has its own value, except for the
// fields that determine its kind. Lists have n entries, and strings have more than n bytes.
func Full(k event.Kind, n int) event.Body {
	body := reflect.New(reflect.TypeOf(event.NewBody(k))).Elem()
	body.Set(reflect.ValueOf(event.NewBody(k)))
	for i := range body.NumField() {
		field := body.Type().Field(i)
		name := field.Name
		if field.Tag.Get("json") == "-" || name == "Act" || name == "Failure" || name == "Check" {
			continue
		}
		switch v := body.Field(i).Addr().Interface().(type) {
		case *[]event.Path:
			for j := range n {
				*v = append(*v, event.Path(fmt.Sprint(name, j)))
			}
		case *[]string:
			for j := range n {
				*v = append(*v, fmt.Sprint(name, j))
			}
		case *[]float64:
			*v = []float64{.5}
		case *string:
			*v = name + strings.Repeat("x", n)
		case *event.Path:
			*v = event.Path(name)
		case *event.Task:
			*v = event.TaskChange
		case *int:
			*v = 7 + i
		case *bool:
			*v = true
		case *time.Time:
			*v = time.UnixMilli(5000).UTC()
		default:
			panic("a field of type " + field.Type.String())
		}
	}
	return body.Interface().(event.Body)
}

// Set changes fields of the body of an event. The arguments are a name, its value, the next name,
// and so on. It panics if the body has no such field.
func Set(e *event.Event, pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		if !set(e, pairs[i].(string), pairs[i+1]) {
			panic(fmt.Sprintf("%T has no field %s", e.Body, pairs[i]))
		}
	}
}

func set(e *event.Event, name string, v any) bool {
	b := reflect.New(reflect.TypeOf(e.Body)).Elem()
	b.Set(reflect.ValueOf(e.Body))
	f := b.FieldByName(name)
	if !f.IsValid() {
		return false
	}
	if v == nil {
		f.SetZero()
	} else {
		f.Set(reflect.ValueOf(v).Convert(f.Type()))
	}
	e.Body = b.Interface().(event.Body)
	return true
}

// Paths converts strings to paths without checking them.
func Paths(ss []string) []event.Path {
	out := make([]event.Path, len(ss))
	for i, s := range ss {
		out[i] = event.Path(s)
	}
	return out
}
