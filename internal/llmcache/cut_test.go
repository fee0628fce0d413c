package llmcache

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
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
