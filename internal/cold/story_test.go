package cold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestStories plays the stories of testdata/stories.txt. A line without a tab is what happens or is
// asked, the lines with a tab below it are the answer (-update writes them). A line with # begins a
// story, with a log of its own. Events on one line, with ; between them, are one batch. AT is a time
// after noon, A B are files.
//
//	read ID AT SESSION [#TAG…] A…    also run and prompt, with a text in place of files, and hint
//	commit N AT A…, uncommit N, rename AT A B…, save AT A
//	peer CLONE N A                   an event of another clone
//	forget path=A, session=S or peer=CLONE
//	replay BATCH                     all after it
//	log [oldest] [limit=N] [session=S] [file=A] [kind=K,K] [since=AT] [until=AT]
//	thread SESSION N, prompts BATCH N
//	together A B                     in how many commits of A there is B
//	stats N                          of at most N files, tags and sessions, 0: of all
//	renamed A [GONE…]                the present name, if these files are gone
func TestStories(t *testing.T) {
	var s *story
	fault.Replies(t, "testdata/stories.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			s = &story{t, newTest(t), map[string]string{}}
			return nil
		}
		words := strings.Fields(line)
		return s.play(words[0], words[1:], line)
	})
}

type story struct {
	*testing.T
	d     *DB
	names map[string]string // of events whose ids are long
}

// play does what a line says, and returns the answer.
func (s *story) play(verb string, words []string, line string) (lines []string) {
	ctx := s.Context()
	number := func(i int) int { return fault.Must(strconv.Atoi(words[i])) }
	switch verb {
	case "replay":
		for _, b := range replayAll(s, s.d, int64(number(0))) {
			lines = append(lines, fmt.Sprintf("batch %d: %s", b.Seq, s.say(b.Batch, true)))
		}
	case "log":
		return []string{s.say(fault.Must(s.d.Log(ctx, filter(words))), false)}
	case "thread":
		return s.texts(fault.Must(s.d.Thread(ctx, words[0], number(1))))
	case "prompts":
		return s.texts(fault.Must(s.d.Prompts(ctx, int64(number(0)), number(1))))
	case "together":
		a, b := event.Path(words[0]), event.Path(words[1])
		both, of := together(s.T, s.d, a, b)
		again, all := together(s.T, s.d, a, b) // from memory
		same(s, "asked again", []int{again, all}, []int{both, of})
		return []string{fmt.Sprintf("%d of %d", both, of)}
	case "stats":
		return s.stats(number(0))
	case "renamed":
		gone := eventtest.Paths(words[1:])
		to, ok, err := s.d.Renamed(ctx, event.Path(words[0]), func(p event.Path) bool { return !slices.Contains(gone, p) })
		fault.Check(s, err)
		return []string{fmt.Sprintf("%q %v", to, ok)}
	case "forget":
		if origin, ok := strings.CutPrefix(words[0], "peer="); ok {
			gone := fault.Must(s.d.ForgetPeers(ctx, func(e event.Event) bool { return e.Origin == origin }))
			return []string{s.say(gone.Events, false)}
		}
		path, _ := strings.CutPrefix(words[0], "path=")
		return []string{s.say(fault.Must(eraser(s.T, s.d).Forget(ctx, ForgetFilter{Path: event.Path(path)})).Events, false)}
	default:
		var batch []event.Event
		for e := range strings.SplitSeq(line, ";") {
			batch = append(batch, s.event(strings.Fields(e)))
		}
		seq, fresh := mustAppend(s, s.d, batch...)
		return []string{fmt.Sprintf("batch %d: %s", seq, s.say(fresh, true))}
	}
	return lines
}

// event is an event in words.
func (s *story) event(words []string) event.Event {
	at := func(i int) time.Time { return noon.Add(fault.Must(time.ParseDuration(words[i]))) }
	number := func(i int) int { return fault.Must(strconv.Atoi(words[i])) }
	switch verb := words[0]; verb {
	case "commit":
		c := commit(number(1), at(2), eventtest.Paths(words[3:])...)
		s.names[c.ID] = "commit-" + words[1]
		return c
	case "uncommit":
		c := uncommit(number(1))
		s.names[c.ID] = "uncommit-" + words[1]
		return c
	case "rename":
		var b event.Rename
		for i := 2; i < len(words); i += 2 {
			b.From, b.To = append(b.From, event.Path(words[i])), append(b.To, event.Path(words[i+1]))
		}
		return event.Event{ID: "rename " + words[1], Time: at(1), Body: b}
	case "save":
		return event.Event{ID: "save " + words[1], Time: at(1), Agent: "watch", Body: event.Save{Paths: eventtest.Paths(words[2:])}}
	case "peer":
		return foreign(words[1], number(2), noon, event.Path(words[3]))
	case "run", "prompt":
		e := read(words[1], at(2), words[3])
		e.Body = eventtest.Fill(event.Kind(verb), eventtest.Fields{"Text": strings.Join(words[4:], " ")})
		return e
	default:
		tags, files := []string(nil), words[4:]
		for len(files) > 0 && strings.HasPrefix(files[0], "#") {
			tags, files = append(tags, files[0][1:]), files[1:]
		}
		e := read(words[1], at(2), words[3])
		e.Body = eventtest.Fill(event.Kind(verb), eventtest.Fields{"Tags": tags, "Paths": eventtest.Paths(files)})
		return e
	}
}

// filter is one in words.
func filter(words []string) (f LogFilter) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "oldest":
			f.Oldest = true
		case "limit":
			f.Limit = fault.Must(strconv.Atoi(value))
		case "session":
			f.Session = value
		case "file":
			f.File = event.Path(value)
		case "since":
			f.Since = noon.Add(fault.Must(time.ParseDuration(value)))
		case "until":
			f.Until = noon.Add(fault.Must(time.ParseDuration(value)))
		case "kind":
			for k := range strings.SplitSeq(value, ",") {
				f.Kinds = append(f.Kinds, event.Kind(k))
			}
		}
	}
	return f
}

// say names events, with their files if they are wanted, and with the words of a commit that is
// taken back.
func (s *story) say(events []event.Event, files bool) string {
	if len(events) == 0 {
		return "nothing"
	}
	var names []string
	for _, e := range events {
		name := e.ID
		if known := s.names[e.ID]; known != "" {
			name = known
		}
		if files && len(e.Paths()) > 0 {
			name += fmt.Sprint(" ", e.Paths())
		}
		if files && e.Kind() == event.KindUncommit {
			name += fmt.Sprint(" ", e.Terms())
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func (s *story) texts(thread []Numbered) (lines []string) {
	for _, e := range thread {
		lines = append(lines, fmt.Sprintf("%s of batch %d: %s", e.ID, e.Seq, e.Text()))
	}
	return lines
}

func (s *story) stats(most int) (lines []string) {
	for _, f := range fault.Must(s.d.FileStats(s.Context(), most)) {
		lines = append(lines, fmt.Sprintf("file %s: %d times from %s to %s, %v s in a session", f.File, f.Accesses,
			f.First.Sub(noon), f.Last.Sub(noon), f.MeanSession))
	}
	for _, tag := range fault.Must(s.d.TagStats(s.Context(), most)) {
		lines = append(lines, fmt.Sprintf("tag %s: %d times, %d files", tag.Tag, tag.Uses, tag.Files))
	}
	for _, x := range fault.Must(s.d.SessionStats(s.Context(), most)) {
		lines = append(lines, fmt.Sprintf("session %s of %s: from %s to %s, %v s, %d events, %d files", x.ID, x.Agent, x.Started.Sub(noon),
			x.Last.Sub(noon), x.Duration, x.Events, x.Files))
	}
	return lines
}
