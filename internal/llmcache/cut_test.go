package llmcache

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestCuts(t *testing.T) {
	const text = "one\ntwo\nthree\nfour"
	const object = `{"files":[{"name":"a/b.go","lines":"x\ny\nz"},{"name":"c~d"}],"n":3,"":{"/":true}}`
	for _, c := range []struct {
		cut   Cut
		in    string
		want  string
		total int64
		next  int64
	}{
		{Cut{}, text, text, 18, 0},
		{Cut{Offset: 4}, text, "two\nthree\nfour", 18, 0},
		{Cut{Offset: 4, Limit: 3}, text, "two", 18, 7},
		{Cut{Offset: 100, Limit: 3}, text, "", 18, 0},
		{Cut{Offset: 16, Limit: 2}, text, "ur", 18, 0},
		{Cut{Lines: "2-3"}, text, "two\nthree\n", 10, 0},
		{Cut{Lines: "4"}, text, "four", 4, 0},
		{Cut{Lines: "3-"}, text, "three\nfour", 10, 0},
		{Cut{Lines: "9"}, text, "", 0, 0},
		{Cut{Lines: "2-3", Limit: 4}, text, "two\n", 10, 4},
		{Cut{Limit: 4}, "日本", "日", 6, 3},
		{Cut{Limit: 1}, "日本", "\xe6", 6, 1},
		{Cut{Pointer: "/files/0/name"}, object, "a/b.go", 6, 0},
		{Cut{Pointer: "/files/1"}, object, `{"name":"c~d"}`, 14, 0},
		{Cut{Pointer: "/n"}, object, "3", 1, 0},
		{Cut{Pointer: "//~1"}, object, "true", 4, 0},
		{Cut{Pointer: "/files/0/lines", Lines: "2"}, object, "y\n", 2, 0},
	} {
		fault.Check(t, c.cut.check())
		got, err := c.cut.apply([]byte(c.in))
		fault.Check(t, err)
		fault.Same(t, fmt.Sprintf("%+v", c.cut), [3]any{string(got.Data), got.Total, got.Next}, [3]any{c.want, c.total, c.next})
	}
	for _, c := range []struct {
		cut  Cut
		in   string
		code string
	}{
		{Cut{Pointer: "/files/2"}, object, CodeMissing},
		{Cut{Pointer: "/files/00"}, object, CodeMissing},
		{Cut{Pointer: "/nothing/at/all"}, object, CodeMissing},
		{Cut{Pointer: "/n/x"}, object, CodeMissing},
		{Cut{Pointer: "/n"}, text, CodeBad},
	} {
		_, err := c.cut.apply([]byte(c.in))
		refused(t, err, c.code)
	}
	for _, c := range []Cut{{Offset: -1}, {Limit: -1}, {Pointer: "files"}, {Lines: "0"}, {Lines: "a"}, {Lines: "3-2"},
		{Lines: "-2"}, {Lines: "1-2-3"}} {
		refused(t, c.check(), CodeBad)
	}
}

// FuzzCut: parts taken one after the other are the whole, and a pointer finds a value or says that there is none.
func FuzzCut(f *testing.F) {
	f.Add([]byte("one\ntwo 日本\xff"), int64(4), "2-", "/a/0")
	f.Add([]byte(`{"a":["x",{"b":1}]}`), int64(1), "1", "/a/1/b")
	f.Fuzz(func(t *testing.T, data []byte, limit int64, lines, pointer string) {
		c := Cut{Lines: lines, Limit: limit}
		if c.check() != nil || limit == 0 {
			c = Cut{Limit: 7}
		}
		all, err := Cut{Lines: c.Lines}.apply(data)
		fault.Check(t, err)
		var whole []byte
		for more := true; more; {
			p, err := c.apply(data)
			fault.Check(t, err)
			if int64(len(p.Data)) > c.Limit || p.Total != all.Total || p.Next != 0 && p.Next <= c.Offset {
				t.Fatalf("%+v of %q gave %+v", c, data, p)
			}
			whole = append(whole, p.Data...)
			c.Offset, more = p.Next, p.Next > 0
		}
		fault.Same(t, "the parts", string(whole), string(all.Data))
		p := Cut{Pointer: pointer}
		if got, err := p.apply(data); p.check() == nil && err == nil && pointer != "" && !json.Valid(got.Data) &&
			!utf8.Valid(got.Data) {
			t.Fatalf("%q in %q gave %q", pointer, data, got.Data)
		}
	})
}
