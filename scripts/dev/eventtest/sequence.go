package eventtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Start is a time before the first event of every Sequence.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// The values from which the events of a Sequence are drawn.
var (
	Sessions = []string{"s0", "s1", "s2", "s3"}
	Words    = []string{"login", "token", "cache", "retry", "index", "parse"}
	Tags     = []string{"go", "editing"}
)

// Step is what happens next to a daemon.
type Step int

// The steps.
const (
	Happens   Step = iota // the next event comes
	Restarts              // the daemon stops and starts again
	Killed                // the daemon starts again without having saved its states
	Forgets               // a session is forgotten
	Snapshots             // the states are saved
)

// Sequence makes random events of sessions and their subagents, people, a watcher, git and the
// cron. The same seed and files make the same sequence. Some events are older than those before
// them.
type Sequence struct {
	*rand.Rand
	Now   time.Time    // time of the newest event; it moves by seconds, sometimes by hours
	Files []event.Path // the present names of the files

	n    int
	done []event.Event // commits that may be taken back later
}

// NewSequence begins a sequence about the files, or about some of its own, one of which has a name
// that is not UTF-8.
func NewSequence(seed uint64, files ...event.Path) *Sequence {
	s := &Sequence{Rand: rand.New(rand.NewPCG(seed, 7)), Now: Start, Files: append([]event.Path(nil), files...)}
	for i := len(files); len(files) == 0 && i < 25; i++ {
		s.Files = append(s.Files, event.Path(fmt.Sprintf("pkg%d/file%d.go", i%4, i)))
	}
	if len(files) == 0 {
		s.Files[0] = "d\xff/0.go"
	}
	return s
}

// Step draws what happens next. In most cases it is an event.
func (s *Sequence) Step() Step {
	if n := s.IntN(80); n < int(Snapshots) {
		return Step(n + 1)
	}
	return Happens
}

// Events returns the next n events.
func (s *Sequence) Events(n int) []event.Event {
	out := make([]event.Event, n)
	for i := range out {
		out[i] = s.Next()
	}
	return out
}

// Batches splits events at random places into batches of at most most events. A tick is always
// alone in its batch, because what it trims depends on where the batch ends.
func Batches(events []event.Event, r *rand.Rand, most int) (out [][]event.Event) {
	for i := 0; i < len(events); {
		n := min(1+r.IntN(most), len(events)-i)
		for j := range n {
			if events[i+j].Kind() == event.KindTick {
				n = max(1, j)
				break
			}
		}
		out, i = append(out, events[i:i+n]), i+n
	}
	return out
}

// Pick draws one of some values.
func Pick[T any](s *Sequence, from ...T) T { return from[s.IntN(len(from))] }

func (s *Sequence) some(most int) (out []event.Path) {
	for range 1 + s.IntN(most) {
		out = append(out, Pick(s, s.Files...))
	}
	return out
}

// Next returns the next event.
func (s *Sequence) Next() event.Event {
	s.Now = s.Now.Add(time.Duration(s.IntN(120_000)) * time.Millisecond)
	if s.IntN(60) == 0 {
		s.Now = s.Now.Add(time.Duration(s.IntN(40)) * time.Hour)
	}
	s.n++
	e := event.Event{ID: fmt.Sprint("event-", s.n), Time: s.Now}
	if s.IntN(15) == 0 { // late
		e.Time = e.Time.Add(-time.Duration(s.IntN(600)) * time.Second)
	}
	if s.IntN(4) == 0 {
		s.outside(&e)
		return e
	}
	e.Agent, e.Session = "claude", Pick(s, Sessions...)
	if s.IntN(6) == 0 {
		e.Subagent = "sub"
	}
	if n := s.IntN(12); n < 8 {
		s.call(&e, n)
	} else {
		s.session(&e, n)
	}
	return e
}

// call makes a tool call.
func (s *Sequence) call(e *event.Event, n int) {
	b := event.Call{Act: event.ActRead, Paths: s.some(2), Tags: Tags[:s.IntN(3)], Blob: "0123"}
	switch n {
	case 0, 1:
		b.Act, b.Paths = event.ActEdit, s.some(1)
	case 2:
		b.Act, b.Paths = event.ActWrite, s.some(1)
	case 3:
		b = event.Call{Act: event.ActSearch, Terms: s.words(), Seen: s.some(6), Named: s.some(1), Tags: b.Tags,
			Text: "parseBasket", Listing: s.IntN(2) == 0}
	case 4:
		b = event.Call{Act: event.ActRun, Named: s.some(1), Terms: s.words(), Checks: s.IntN(2) == 0, Looks: s.IntN(4) == 0,
			Failure: Pick(s, "", "", event.FailStatus), Text: "go test"}
	case 5:
		if s.IntN(2) == 0 {
			b.Failure = Pick(s, event.FailMissing, event.FailNoMatch, event.FailOther)
		}
	}
	e.Body = b
}

// session makes an event of a session that is no tool call.
func (s *Sequence) session(e *event.Event, n int) {
	switch {
	case n < 10:
		e.Turn, e.Subagent = e.ID, ""
		b := event.Prompt{Terms: s.words(), Tags: Tags[:s.IntN(3)], Text: "why is parseBasket slow?"}
		if s.IntN(2) == 0 {
			b.Named = s.some(2)
		}
		e.Body = b
	case n == 10:
		b := event.Hint{Name: Pick(s, "rescue", "prompt", "partner"), Status: Pick(s, "shown", "shown", "withheld", "shadow"),
			Label: Pick(s, "open", "next", "turn", "change"), Paths: s.some(1), Scores: []float64{.5}}
		if b.Label == "change" {
			b.Change = s.some(2)
		}
		e.Body = b
	default:
		e.Body = Pick[event.Body](s, event.Start{Source: Pick(s, "startup", "compact", "resume")}, event.Stop{},
			event.End{Reason: Pick(s, "other", "exit")}, event.Feedback{Helped: s.IntN(2) == 0},
			event.State{Name: Pick(s, "completed", "paused"), Tokens: s.IntN(9)})
	}
}

// outside makes an event that belongs to no session.
func (s *Sequence) outside(e *event.Event) {
	e.Agent = "git"
	switch n := s.IntN(16); {
	case n < 6:
		e.ID = fmt.Sprintf("commit:%040x", s.Uint64())
		e.Body = event.Commit{Paths: s.some(6), Terms: s.words()}
		s.done = append(s.done, *e)
	case n == 6 && len(s.done) > 0:
		last := s.done[len(s.done)-1]
		s.done = s.done[:len(s.done)-1]
		e.ID, e.Time, e.Body = "un"+last.ID, last.Time, event.Uncommit(last.Body.(event.Commit))
	case n < 8:
		e.Body = event.Checkout{Name: "work"}
	case n < 11:
		e.Agent, e.Body = "watch", event.Save{Paths: s.some(2)}
	case n == 11:
		e.Agent, e.Body = "watch", event.Delete{Paths: s.some(1)}
	case n == 12:
		i, to := s.IntN(len(s.Files)), event.Path(fmt.Sprintf("moved/file%d.go", s.n))
		e.Agent, e.Body = "watch", event.Rename{From: []event.Path{s.Files[i]}, To: []event.Path{to}}
		s.Files[i] = to
	case n == 13:
		e.Agent, e.Body = "cli", event.Setting{Name: "threshold", Value: fmt.Sprintf("%.2f", .4+.05*float64(s.IntN(6)))}
	default:
		e.Agent, e.Time, e.Body = "cron", s.Now, event.Tick{Job: Pick(s, "", "sweep")}
	}
}

// words returns one word of Words, or two neighboring ones.
func (s *Sequence) words() []string {
	i := s.IntN(len(Words) - 2)
	return Words[i : i+1+s.IntN(2)]
}
