package llmcache

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// newTest makes a cache with a clock that stands still.
func newTest(t testing.TB, quota int64) *Cache { t.Helper(); return newStory(t, quota).c }

// story is a cache beside the sessions that use it. Its clock stands unless time passes.
type story struct {
	testing.TB
	c        *Cache
	sessions *session.Sessions
	at       time.Time
}

func newStory(t testing.TB, quota int64) *story {
	t.Helper()
	s := &story{TB: t, sessions: session.New(), at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	now, dir := func() time.Time { return s.at }, t.TempDir()
	blobs := fault.Must(cold.OpenBlobs(t.Context(), filepath.Join(dir, "cache.db"), cold.Options{Now: now,
		Seal: fault.Must(cold.OpenSeal(filepath.Join(dir, "key")))}))
	t.Cleanup(func() { fault.Check(t, blobs.Close()) })
	s.c = New(Options{Blobs: blobs, Now: now, Quota: quota,
		Redact: func(text string) string { return strings.ReplaceAll(text, "sk-secret", "[gone]") },
		Newest: func(id string) time.Time { return s.sessions.Get(id, s.at).Last }})
	return s
}

// TestStories plays the stories of testdata/stories.txt. A line without a tab is what happens or is
// asked, the lines with a tab below it are the answer (-update writes them). Words with spaces stand
// between '.
//
//	cache [quota=N]           a story begins, with a cache and sessions of its own
//	write SESSION [task=T] [turn=T] [text=TEXT] [size=N] [about=TEXT] [notes=JSON] [call=ID] [over=yes]
//	read KEY [lines=L] [offset=N] [limit=N]
//	list [session=S] [task=T] [limit=N]
//	delete KEY, clear SESSION, sessions
//	start SESSION, end SESSION REASON, restart
//	pass DURATION, sweep
func TestStories(t *testing.T) {
	var s *story
	fault.Replies(t, "testdata/stories.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		var words []string
		named := map[string]string{}
		for _, w := range fault.Words(line) {
			if name, value, is := strings.Cut(w, "="); is {
				named[name] = value
			} else {
				words = append(words, w)
			}
		}
		if words[0] == "cache" {
			s = newStory(t, int64(number(named["quota"])))
			return nil
		}
		answer, err := s.play(words[0], strings.Join(words[1:], " "), named)
		if err != nil {
			answer = say(err)
		}
		if answer == "" {
			return nil
		}
		return []string{answer}
	})
}

func number(text string) (n int) {
	_, _ = fmt.Sscan(text, &n) // none is 0
	return n
}

// say is what a caller gets: the code, the message, and what to do.
func say(err error) string {
	var e *event.Refusal
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return e.Code + ": " + e.Error() + "; " + e.Hint
}

// play does what a line says, and returns the answer.
func (s *story) play(verb, text string, named map[string]string) (string, error) {
	switch verb {
	case "write":
		it := Item{Task: named["task"], Turn: named["turn"], Description: named["about"], Call: named["call"],
			Notes: json.RawMessage(named["notes"]), Overwrite: named["over"] != "",
			Data: []byte(cmp.Or(named["text"], strings.Repeat("x", number(named["size"]))))}
		l, err := s.c.Write(s.Context(), text, it)
		if it.Turn == "" { // a part that the caller does not name has eight random letters
			l.Key = regexp.MustCompile(`_[^_]{8}`).ReplaceAllString(l.Key, "_RANDOM")
		}
		return s.label(l), err
	case "read":
		cut := Cut{Lines: named["lines"], Offset: int64(number(named["offset"])), Limit: int64(number(named["limit"]))}
		got, err := s.c.Read(s.Context(), text, cut)
		return fmt.Sprintf("%s %s: %q of %d, then %d", s.label(got.Label), got.Notes, got.Data(), got.Total, got.Next), err
	case "list":
		labels, total, err := s.c.List(s.Context(), Filter{named["session"], named["task"], number(named["limit"])})
		var keys []string
		for _, l := range labels {
			keys = append(keys, l.Key)
		}
		return fmt.Sprint(strings.Join(keys, " "), " of ", total), err
	case "delete":
		bytes, err := s.c.Delete(s.Context(), text)
		return fmt.Sprint(bytes, " bytes"), err
	case "clear":
		items, bytes, err := s.c.Clear(s.Context(), text)
		return fmt.Sprint(items, " items, ", bytes, " bytes"), err
	case "sessions":
		ids, err := s.c.Sessions(s.Context())
		return fmt.Sprint(ids), err
	case "start":
		return "", s.apply(text, event.Start{Source: "resume"})
	case "end":
		id, reason, _ := strings.Cut(text, " ")
		return "", s.apply(id, event.End{Reason: reason})
	case "restart":
		s.c.left = nil
	case "pass":
		s.at = s.at.Add(fault.Must(time.ParseDuration(text)))
	case "sweep":
		gone, err := s.c.o.Blobs.Sweep(s.Context())
		return fmt.Sprint(gone["items"], " items"), err
	default:
		s.Fatalf("no story has %s", verb)
	}
	return "", nil
}

func (s *story) label(l Label) string {
	return fmt.Sprintf("%s %q, %d bytes, %s ago", l.Key, l.Description, l.Size, s.at.Sub(time.UnixMilli(l.At)))
}

// apply gives the sessions an event, now, and the cache what they left.
func (s *story) apply(id string, body event.Body) error {
	s.sessions.Apply(event.Event{Time: s.at, Session: id, Body: body})
	return s.c.Leave(s.Context(), s.sessions.Left())
}

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
	for failure, want := range map[error]string{cold.ErrRow: event.CodeFull + ": the item cannot be read",
		cold.ErrFull: event.CodeFull, cold.ErrReadOnly: event.CodeFull, cold.ErrLostKey: event.CodeFull, cold.ErrDamaged: event.CodeFull,
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
				var e *event.Refusal
				mu.Lock()
				switch {
				case err == nil:
					kept++
				case errors.As(err, &e) && e.Code == event.CodeQuota:
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
