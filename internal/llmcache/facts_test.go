package llmcache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLimits: each bound, at it and one beyond.
func TestLimits(t *testing.T) {
	c := newTest(t, newClock(), 0)
	quoted := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	for what, at := range map[string]func(beyond int) Item{
		"an item of 5 MiB":           func(n int) Item { return Item{Data: make([]byte, 5<<20-2+n), Notes: quoted(2)} },
		"notes of 16 KiB":            func(n int) Item { return Item{Notes: quoted(16<<10 + n)} },
		"a description of 300 bytes": func(n int) Item { return Item{Description: strings.Repeat("d", 300+n)} },
		"a task of 96 bytes":         func(n int) Item { return Item{Task: strings.Repeat("t", 96+n)} },
		"a turn of 96 bytes":         func(n int) Item { return Item{Turn: strings.Repeat("t", 96+n)} },
		"a label of 500 bytes": func(n int) Item { // as JSON: 81 bytes beside the description, of which < takes 6
			return Item{Description: strings.Repeat("<", 69) + strings.Repeat("d", 5+n)}
		},
	} {
		if _, err := c.Write(t.Context(), "s", at(0)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := c.Write(t.Context(), "s", at(1)); err == nil {
			t.Errorf("%s: one byte more is taken", what)
		}
	}
	for session, ok := range map[string]bool{strings.Repeat("s", 96): true, strings.Repeat("s", 97): false, "": false} {
		if _, err := c.Write(t.Context(), session, Item{}); (err == nil) != ok {
			t.Errorf("a session's id of %d bytes: %v", len(session), err)
		}
	}
	if Quota != 52_428_800 || c.o.Quota != 52_428_800 || newTest(t, newClock(), 7).o.Quota != 7 || life != 24*time.Hour {
		t.Error("the quota or the life of a session's items")
	}
	for limit, ok := range map[int]bool{-1: false, 0: true, 1000: true, 1001: false} {
		if _, _, err := c.List(t.Context(), Filter{Limit: limit}); (err == nil) != ok {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	for range 101 {
		write(t, c, "many", Item{})
	}
	labels, total, err := c.List(t.Context(), Filter{Session: "many"})
	fault.Check(t, err)
	fault.Same(t, "listed without a limit", [2]int{len(labels), total}, [2]int{100, 101})
}

// TestRefusals: what a caller is told, to the letter.
func TestRefusals(t *testing.T) {
	c := newTest(t, newClock(), 1000)
	write(t, c, "s", Item{Task: "t", Turn: "u", Data: make([]byte, 999)})
	say := func(err error) string {
		var e *Error
		if !errors.As(err, &e) {
			return fmt.Sprint(err)
		}
		return e.Code + ": " + e.Error() + "; " + e.Hint
	}
	one := func(session string, it Item) string {
		_, err := c.Write(t.Context(), session, it)
		return say(err)
	}
	fault.Same(t, "again", one("s", Item{Task: "t", Turn: "u"}),
		"exists: s_t_u is already stored (999 bytes); write with overwrite, or under another task or turn")
	fault.Same(t, "full", one("s", Item{Data: make([]byte, 2)}),
		"quota: quota of session s: 999 bytes used, 2 asked, 1,000 allowed; delete what you do not need; unused for longest: s_t_u (999 bytes)")
	fault.Same(t, "too large for any", one("new", Item{Data: make([]byte, 1001)}),
		"quota: quota of session new: 0 bytes used, 1,001 asked, 1,000 allowed; the item does not fit into an empty session: write less")
	_, err := c.Delete(t.Context(), "s_t_gone")
	fault.Same(t, "gone", say(err),
		"not_found: no item has the key s_t_gone; aoa cache list shows the stored items; they are deleted 24 h after their session")
	_, err = c.Delete(t.Context(), "no key")
	fault.Same(t, "no key", say(err),
		`bad_request: "no key" is not a key: it has 1 parts, not 3; take the key from a label, or from aoa cache list`)
	_, err = c.Read(t.Context(), "s_t_u", Cut{Offset: -1})
	fault.Same(t, "no offset", say(err), `bad_request: offset -1, limit 0; count from 0`)
	_, err = c.Read(t.Context(), "s_t_u", Cut{Lines: "x"})
	fault.Same(t, "no lines", say(err), `bad_request: cannot read the lines "x"; write 20, 10-20 or 10-; the first line is 1`)
	for failure, want := range map[error]string{cold.ErrRow: CodeFull + ": the item cannot be read",
		cold.ErrFull:     CodeFull,
		cold.ErrReadOnly: CodeFull, cold.ErrLostKey: CodeFull, cold.ErrDamaged: CodeFull,
		context.Canceled: "context canceled", nil: "<nil>"} {
		if got := say(storage(failure)); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s", failure, got)
		}
	}
	// Six items: the five that were used longest ago are named.
	clock := newClock()
	c = newTest(t, clock, 6)
	for _, turn := range strings.Split("abcdef", "") {
		write(t, c, "s", Item{Task: "t", Turn: turn, Data: []byte("x")})
		clock.pass(time.Second)
	}
	fault.Must(c.Read(t.Context(), "s_t_a", Cut{}))
	if got := one("s", Item{Data: []byte("x")}); !strings.HasSuffix(got,
		": s_t_b (1 bytes) s_t_c (1 bytes) s_t_d (1 bytes) s_t_e (1 bytes) s_t_f (1 bytes)") {
		t.Error(got)
	}
	items, bytes, err := c.Clear(t.Context(), "s")
	fault.Same(t, "cleared", fmt.Sprint(items, bytes, err), "6 6 <nil>")
}
