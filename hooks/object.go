package hooks

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aoa-dev/aoa/internal/redact"
)

// object is a JSON object read leniently: a field of the wrong type is an absent field. Agents change the
// types of their payloads without notice, and one surprising field must not cost the other twenty.
type object map[string]json.RawMessage

// parse reads a JSON object; anything else is an empty object.
func parse(raw json.RawMessage) object {
	var o object
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// text is the string at the first of the keys that holds one.
func (o object) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := stringOf(o[k]); ok && s != "" {
			return s
		}
	}
	return ""
}

func (o object) object(key string) object { return parse(o[key]) }

func (o object) flag(key string) bool { return string(o[key]) == "true" }

func (o object) list(key string) []json.RawMessage { return listOf(o[key]) }

// texts is the list of strings at key; a single string is a list of one.
func (o object) texts(key string) []string {
	if s, ok := stringOf(o[key]); ok {
		return []string{s}
	}
	var out []string
	for _, raw := range o.list(key) {
		if s, ok := stringOf(raw); ok {
			out = append(out, s)
		}
	}
	return out
}

func stringOf(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) < 2 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func listOf(raw json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

// first reads the one JSON object at the start of data and ignores what follows: stdin of a hook is not
// always closed, and some callers write a line break or a second value behind it.
func first(data []byte) (object, error) {
	var o object
	err := json.NewDecoder(bytes.NewReader(data)).Decode(&o)
	return o, err
}

// output is the text of a tool's result, whatever its shape: a string, {stdout, stderr}, {content},
// {filenames}, a list of {type: text, text} blocks. At most maxOutput bytes are of use to anyone.
func output(raw json.RawMessage) string {
	if s, ok := stringOf(raw); ok {
		return clip(s, maxOutput)
	}
	var b strings.Builder
	line := func(s string) {
		if s != "" && b.Len() < maxOutput {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(clip(s, maxOutput))
		}
	}
	for _, block := range listOf(raw) {
		if s, ok := stringOf(block); ok {
			line(s)
		} else {
			line(parse(block).text("text", "content"))
		}
	}
	o := parse(raw)
	for _, name := range o.texts("filenames") {
		line(name)
	}
	for _, k := range []string{"stdout", "stderr", "output", "result", "text"} {
		line(o.text(k))
	}
	if c := o["content"]; len(c) > 0 && c[0] != '{' {
		line(output(c))
	}
	return clip(b.String(), maxOutput)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

func containsAny(s string, marks []string) bool {
	for _, m := range marks {
		if strings.Contains(s, m) {
			return true
		}
	}
	return false
}

// lower lowers ASCII only: byte offsets stay the same, which strings.ToLower does not promise.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// store is how every text leaves this room: redacted before it is cut, so that no half of a token stays.
func store(s string, max int) string {
	return clip(redact.Text(clip(s, 4*max)), max)
}
