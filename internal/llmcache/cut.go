package llmcache

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
)

// Cut selects a part of an item: first lines, then bytes of these lines. The zero value selects
// everything.
type Cut struct {
	Lines  string `json:"lines,omitempty"`  // "20" or "10-20", counted from 1, both included; "10-" is up to the end
	Offset int64  `json:"offset,omitempty"` // bytes skipped at the beginning
	Limit  int64  `json:"limit,omitempty"`  // at most this many bytes, 0 for all; a character is not cut in two
}

// Part is the result of a Cut.
type Part struct {
	Text     string `json:"data"`
	Encoding string `json:"encoding,omitempty"`    // base64 if the data is not UTF-8
	Total    int64  `json:"total"`                 // bytes before Offset and Limit are applied
	Next     int64  `json:"next_offset,omitempty"` // offset at which the rest begins; 0 if there is no rest
}

// Data returns the data as it was stored.
func (p Part) Data() []byte {
	if p.Encoding == "" {
		return []byte(p.Text)
	}
	data, _ := base64.StdEncoding.DecodeString(p.Text) // we have encoded it
	return data
}

func (c Cut) check() error {
	if c.Offset < 0 || c.Limit < 0 {
		return event.BadRequest("count from 0", "offset %d, limit %d", c.Offset, c.Limit)
	}
	_, _, err := c.lines()
	return err
}

// lines returns the first and the last selected line. last is 0 for the end, first is 0 for all
// lines.
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
		return 0, 0, event.BadRequest("write 20, 10-20 or 10-; the first line is 1", "cannot read the lines %.100q", c.Lines)
	}
	return first, last, nil
}

func (c Cut) apply(data []byte) (Part, error) {
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
	if p.Text = string(data[begin:end]); !utf8.ValidString(p.Text) {
		p.Text, p.Encoding = base64.StdEncoding.EncodeToString(data[begin:end]), "base64"
	}
	return p, nil
}

// whole moves the end of a part back to the beginning of a character. It keeps the end if nothing
// would be left or the data is not text.
func whole(data []byte, begin, end int64) int64 {
	for e := end; e > begin && end-e < utf8.UTFMax; e-- {
		if utf8.RuneStart(data[e]) {
			return e
		}
	}
	return end
}
