package llmcache

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestCuts(t *testing.T) {
	const text = "one\ntwo\nthree\nfour"
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
		{Cut{Lines: "2"}, text, "two\n", 4, 0},
		{Cut{Lines: "9"}, text, "", 0, 0},
		{Cut{Lines: "2-3", Limit: 4}, text, "two\n", 10, 4},
		{Cut{Limit: 4}, "日本", "日", 6, 3},
		{Cut{Limit: 1}, "日本", "\xe6", 6, 1},
	} {
		fault.Check(t, c.cut.check())
		got, err := c.cut.apply([]byte(c.in))
		fault.Check(t, err)
		fault.Same(t, fmt.Sprintf("%+v", c.cut), [3]any{string(got.Data), got.Total, got.Next}, [3]any{c.want, c.total, c.next})
	}
	for _, c := range []Cut{{Offset: -1}, {Limit: -1}, {Lines: "0"}, {Lines: "a"}, {Lines: "3-2"},
		{Lines: "-2"}, {Lines: "1-2-3"}, {Lines: "1--5"}} {
		refused(t, c.check(), CodeBad)
	}
}

// FuzzCut: parts taken one after the other are the whole.
func FuzzCut(f *testing.F) {
	f.Add([]byte("one\ntwo 日本\xff"), int64(4), "2-")
	f.Add([]byte("a\n\nb"), int64(1), "1")
	f.Fuzz(func(t *testing.T, data []byte, limit int64, lines string) {
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
	})
}
