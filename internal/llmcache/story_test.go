package llmcache

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
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

// say is what a caller is told: the code, the message, and what to do.
func say(err error) string {
	var e *Error
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
		return fmt.Sprintf("%s %s: %q of %d, then %d", s.label(got.Label), got.Notes, got.Data, got.Total, got.Next), err
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
