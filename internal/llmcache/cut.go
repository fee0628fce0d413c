package llmcache

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut is the part of an item that is wanted: first the value at Pointer, then the lines of that, then the bytes of
// those. The zero value is all of it.
type Cut struct {
	Pointer string `json:"pointer,omitempty"` // RFC 6901, such as /files/3/name, into JSON; a string there is its text
	Lines   string `json:"lines,omitempty"`   // "20" or "10-20", from 1, both included; "10-" is to the end
	Offset  int64  `json:"offset,omitempty"`  // bytes left out at the beginning
	Limit   int64  `json:"limit,omitempty"`   // bytes at most; 0 is all. A character is not cut in two
}

// Part is the result of a Cut.
type Part struct {
	Data  []byte `json:"-"`
	Total int64  `json:"total"`                 // bytes before Offset and Limit were applied
	Next  int64  `json:"next_offset,omitempty"` // offset at which the rest begins; 0: there is none
}

func (c Cut) check() error {
	if c.Offset < 0 || c.Limit < 0 {
		return bad("count from 0", "offset %d, limit %d", c.Offset, c.Limit)
	}
	if c.Pointer != "" && c.Pointer[0] != '/' {
		return bad("a JSON pointer begins with a slash: /files/3/name", "pointer %.100q", c.Pointer)
	}
	_, _, err := c.lines()
	return err
}

// lines are the first and the last line wanted; last 0 is the end, first 0: all lines.
func (c Cut) lines() (first, last int, err error) {
	if c.Lines == "" {
		return 0, 0, nil
	}
	from, to, ranged := strings.Cut(c.Lines, "-")
	first, err = strconv.Atoi(from)
	if err == nil && !ranged {
		last = first
	}
	if err == nil && to != "" {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 1 || last < 0 || last > 0 && last < first {
		return 0, 0, bad("write lines as 20, 10-20 or 10-, from 1", "lines %.100q", c.Lines)
	}
	return first, last, nil
}

func (c Cut) apply(data []byte) (Part, error) {
	if c.Pointer != "" {
		if !json.Valid(data) {
			return Part{}, bad("read it without pointer", "the item is no JSON: there is nothing to point into")
		}
		var err error
		if data, err = valueAt(data, c.Pointer); err != nil {
			return Part{}, err
		}
	}
	first, last, err := c.lines()
	if err != nil {
		return Part{}, err
	}
	if first > 0 {
		lines := bytes.SplitAfter(data, []byte{'\n'})
		last = min(cmp.Or(last, len(lines)), len(lines))
		data = bytes.Join(lines[min(first-1, last):last], nil)
	}
	p := Part{Total: int64(len(data))}
	begin := min(c.Offset, p.Total)
	end := p.Total
	if c.Limit > 0 && begin+c.Limit < end {
		end = whole(data, begin, begin+c.Limit)
		p.Next = end
	}
	p.Data = data[begin:end]
	return p, nil
}

// whole moves an end back to the beginning of a character, unless nothing would be left or the data is no text.
func whole(data []byte, begin, end int64) int64 {
	for e := end; e > begin && end-e < utf8.UTFMax; e-- {
		if utf8.RuneStart(data[e]) {
			return e
		}
	}
	return end
}

// valueAt finds the value at a JSON pointer. A string is returned as its text.
func valueAt(data []byte, pointer string) ([]byte, error) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	done := ""
	for _, raw := range strings.Split(pointer, "/")[1:] {
		name := unescape.Replace(raw)
		next, err := child(data, name)
		if err != nil {
			return nil, refuse(CodeMissing, "read a part of it without pointer to see what is there",
				"nothing at %.200s: %s %v", pointer, cmp.Or(done, "the item"), err)
		}
		data, done = next, done+"/"+raw
	}
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '"' {
		var s string
		err := json.Unmarshal(data, &s)
		return []byte(s), err
	}
	return data, nil
}

func child(data []byte, name string) ([]byte, error) {
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) > 0 && trimmed[0] == '{':
		var members map[string]json.RawMessage
		if err := json.Unmarshal(trimmed, &members); err != nil {
			return nil, err
		}
		v, ok := members[name]
		if !ok {
			return nil, fmt.Errorf("has no member %.100q", name)
		}
		return v, nil
	case len(trimmed) > 0 && trimmed[0] == '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(trimmed, &elements); err != nil {
			return nil, err
		}
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(elements) || name != strconv.Itoa(i) {
			return nil, fmt.Errorf("has %d elements, not %.100q", len(elements), name)
		}
		return elements[i], nil
	}
	return nil, fmt.Errorf("is neither object nor array")
}
