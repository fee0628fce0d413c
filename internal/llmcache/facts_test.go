package llmcache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLimits: each bound, at it and one beyond.
func TestLimits(t *testing.T) {
	c := newTest(t, 0)
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
	if bare := New(Options{Blobs: c.o.Blobs}); bare.o.Quota != 52_428_800 || newTest(t, 7).o.Quota != 7 ||
		life != 24*time.Hour || !bare.o.Newest("s").IsZero() {
		t.Error("the quota or the life of a session's items")
	}
	for range 101 {
		fault.Must(c.Write(t.Context(), "many", Item{}))
	}
	labels, total, err := c.List(t.Context(), Filter{Session: "many"})
	fault.Check(t, err)
	fault.Same(t, "listed without a limit", [2]int{len(labels), total}, [2]int{100, 101})
}

// TestFailures: what the store says of itself is passed on with a code.
func TestFailures(t *testing.T) {
	for failure, want := range map[error]string{cold.ErrRow: CodeFull + ": the item cannot be read",
		cold.ErrFull: CodeFull, cold.ErrReadOnly: CodeFull, cold.ErrLostKey: CodeFull, cold.ErrDamaged: CodeFull,
		context.Canceled: "context canceled", nil: "<nil>"} {
		if got := say(storage(failure)); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s", failure, got)
		}
	}
}

// TestQuotaIsExact: fifty writers at once share what is left to the byte.
func TestQuotaIsExact(t *testing.T) {
	const size, writers, each = 1000, 50, 4
	c := newTest(t, size*77+size/2)
	var wg sync.WaitGroup
	var mu sync.Mutex
	kept, full := 0, 0
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				_, err := c.Write(t.Context(), "s", Item{Task: fmt.Sprint("w", i), Turn: fmt.Sprint(j), Data: make([]byte, size)})
				var e *Error
				mu.Lock()
				switch {
				case err == nil:
					kept++
				case errors.As(err, &e) && e.Code == CodeQuota:
					full++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fault.Same(t, "kept and refused", [2]int{kept, full}, [2]int{77, writers*each - 77})
	fault.Must(c.Write(t.Context(), "other", Item{Data: make([]byte, size)})) // another session has its own
	fault.Must(c.Write(t.Context(), "s", Item{Data: make([]byte, size/2)}))   // exactly full
	_, err := c.Write(t.Context(), "s", Item{Data: []byte("x")})
	if got := say(err); !strings.Contains(got, "77,500 bytes used, 1 asked, 77,500 allowed") {
		t.Error(got)
	}
	items, bytes, err := c.Clear(t.Context(), "s")
	fault.Same(t, "cleared", fmt.Sprint(items, bytes, err), "78 77500 <nil>")
}

func TestKeysAreEscaped(t *testing.T) {
	for id, want := range map[string]string{"conv_1": "conv%5F1_t_u", "a/b c": "a%2Fb+c_t_u", "日": "%E6%97%A5_t_u",
		"5f0c-2d.1E": "5f0c-2d.1E_t_u", "%5F": "%255F_t_u"} {
		k := Key{id, "t", "u"}
		fault.Same(t, "key", k.String(), want)
		fault.Same(t, "parsed", fault.Must(parseKey(want)), k)
	}
	for _, s := range []string{"", "a", "a_b", "a_b_c_d", "a__c", "a_b_%4", "a_b_%zz", "a_b_%41", "a_b_%5f", "a_b_c d",
		strings.Repeat("a", 97) + "_b_c"} {
		if k, err := parseKey(s); err == nil {
			t.Errorf("%q was read as %+v", s, k)
		}
	}
	if _, err := parseKey("a_b%zz_c"); err == nil || !strings.Contains(err.Error(), `its part 2 is "b%zz"`) {
		t.Error(err)
	}
}
