package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aoa-dev/aoa/internal/event"
)

// decode decodes the arguments of a call. Because models write them, it accepts other forms with a
// clear meaning: null for a missing argument, a list given as JSON text or as its single element, a
// number for a text. For everything else that does not fit the schema the error is an *event.Refusal
// that says what is expected.
func decode[In any](raw json.RawMessage, schema *jsonschema.Schema) (in In, err error) {
	var given map[string]json.RawMessage
	if raw = unquoted(raw, '{'); len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return in, event.BadRequest("give "+strings.Join(argumentNames(schema), ", "), "the arguments are not an object")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		kind := schema.Properties[name]
		if kind == nil {
			return in, event.BadRequest("there are "+strings.Join(argumentNames(schema), ", "), "unknown argument %.40q", name)
		}
		value, ok := fit(given[name], kind)
		switch {
		case !ok:
			return in, event.BadRequest(name+" is "+inWords(kind), "%s does not fit", name)
		case value == nil:
			delete(given, name)
		default:
			given[name] = value
		}
	}
	for _, name := range schema.Required {
		if given[name] == nil {
			return in, event.BadRequest("give "+name+", "+inWords(schema.Properties[name]), "no %s", name)
		}
	}
	if raw, err = json.Marshal(given); err != nil {
		return in, err
	}
	return in, json.Unmarshal(raw, &in)
}

func argumentNames(schema *jsonschema.Schema) []string {
	return slices.Sorted(maps.Keys(schema.Properties))
}

// inWords describes the type of an argument.
func inWords(kind *jsonschema.Schema) string {
	switch kind.Type {
	case "array":
		if kind.Items.Type == "integer" {
			return "a list of numbers"
		}
		return "a list of texts"
	case "integer":
		return "a number"
	case "boolean":
		return "true or false"
	}
	return strings.TrimSuffix("a text: "+kind.Description, ": ")
}

// fit converts a value to the form that its type requires. It returns nil for null, and ok is false
// if the value cannot be converted.
func fit(raw json.RawMessage, kind *jsonschema.Schema) (value json.RawMessage, ok bool) {
	raw = bytes.TrimSpace(raw)
	if bytes.Equal(raw, []byte("null")) {
		return nil, true
	}
	switch kind.Type {
	case "array":
		return fitList(raw, kind.Items)
	case "integer":
		n, err := strconv.ParseInt(string(unquoted(raw, 0)), 10, 64)
		return strconv.AppendInt(nil, n, 10), err == nil
	case "boolean":
		b, err := strconv.ParseBool(string(unquoted(raw, 0)))
		return strconv.AppendBool(nil, b), err == nil
	}
	if raw[0] == '"' {
		return raw, true
	}
	text, err := json.Marshal(string(raw)) // a number, or a value stored as its JSON
	return text, err == nil
}

func fitList(raw json.RawMessage, kind *jsonschema.Schema) (json.RawMessage, bool) {
	raw = unquoted(raw, '[')
	list := []json.RawMessage{raw}
	if raw[0] == '[' {
		list = nil
		if json.Unmarshal(raw, &list) != nil {
			return nil, false
		}
	}
	out := list[:0]
	for _, one := range list {
		value, ok := fit(one, kind)
		if !ok || one[0] == '{' || one[0] == '[' {
			return nil, false
		}
		if value != nil {
			out = append(out, value)
		}
	}
	value, err := json.Marshal(out)
	return value, err == nil
}

// unquoted returns the text inside a JSON string, provided that it begins with the given byte; with
// 0, any text.
func unquoted(raw json.RawMessage, begin byte) json.RawMessage {
	var text string
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	if text = strings.TrimSpace(text); text != "" && (begin == 0 || text[0] == begin) {
		return json.RawMessage(text)
	}
	return raw
}
