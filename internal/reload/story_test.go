package reload

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestStories plays the stories of testdata/stories.txt. A line without a tab is what happens, the
// lines with a tab below it say what comes of it (-update writes them). A line with # begins a
// story: nothing is left of the one before. Words with spaces stand between ', and \n is the end of a
// line.
//
//	file NAME TEXT       a file of the worktree, and git NAME: git keeps what it says now
//	rm NAME, cat NAME
//	prompt TEXT          a turn of a session of its own begins; its calls are these, with "failed" or "secret" behind them:
//	read NAME, edit NAME OLD NEW, grep TEXT, glob PATTERN, run COMMAND, tool NAME
//	next TEXT            another prompt of the session, before the turn has ended
//	stop                 the turn ends, and its files are as they were before it
//	find TEXT            the best entry for a prompt, which the next lines are about
//	replay [edits] [apply] [N…]  it is repeated without the actions N, with its edits planned or made
//	undo                 the last replay is taken back
//	entries              all that are kept
//	wait DURATION, reload on, reload off
func TestStories(t *testing.T) {
	var s *story
	fault.Replies(t, "testdata/stories.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			s = &story{fixture: newFixture(t, nil), known: map[string][]byte{}}
			s.w.Blob = func(_ context.Context, id string) []byte { return s.known[id] }
			return nil
		}
		words := fault.Words(line)
		return s.play(words[0], words[1:], strings.Join(words[1:], " "))
	})
}

type story struct {
	*fixture
	known   map[string][]byte // what git keeps
	session int
	id      string
	plan    string
}

// play does what a line says, and returns what comes of it.
func (s *story) play(verb string, words []string, text string) (came []string) {
	session := fmt.Sprint("s", s.session)
	switch verb {
	case "file":
		s.write(words[0], words[1])
	case "git":
		s.known[index.BlobID([]byte(s.read(text)))] = []byte(s.read(text))
	case "rm":
		fault.Check(s, os.Remove(filepath.Join(s.root, text)))
	case "cat":
		return []string{strconv.Quote(s.read(text))}
	case "wait":
		s.at = s.at.Add(fault.Must(time.ParseDuration(text)))
	case "reload":
		s.cfg.Off = text == "off"
	case "prompt":
		s.session++
		s.begin(fmt.Sprint("s", s.session), text)
	case "next":
		s.begin(session, text)
	case "stop":
		s.end(session)
	case "find":
		return []string{s.finds(text)}
	case "replay":
		return s.replays(words)
	case "undo":
		_, files, err := s.cache.Undo(s.Context(), s.w, "")
		return []string{fmt.Sprint(files, " ", err)}
	case "entries":
		for _, e := range fault.Must(s.cache.List(s.Context())) {
			came = append(came, fmt.Sprintf("%q: %s; used %d times, %d well, %d badly", e.Text, e.Summary, e.Uses, e.Successes, e.Failures))
		}
		if len(came) == 0 {
			return []string{"none"}
		}
	default:
		s.did(session, s.action(verb, words))
	}
	return came
}

// action is a call in words.
func (s *story) action(verb string, words []string) (a Action) {
	last := words[len(words)-1]
	switch verb {
	case "read":
		a = reads(words[0])
	case "edit":
		a = edits(words[0], words[1], words[2])
	case "grep":
		a = Action{Tool: "Grep", Act: event.ActSearch, Pattern: words[0], Mode: "content", Found: 1}
	case "glob":
		a = Action{Tool: "Glob", Act: event.ActList, Glob: words[0], Found: 1}
	case "run":
		a = commands(words[0])
	case "tool":
		a = Action{Tool: words[0], Act: event.ActOther}
	default:
		s.Fatalf("no story has %s", verb)
	}
	a.Cut, a.Secret = last == "failed", last == "secret"
	return a
}

// finds tells of the best entry for a prompt.
func (s *story) finds(prompt string) string {
	all := fault.Must(s.cache.Find(s.Context(), s.w, asked(prompt)))
	if len(all) == 0 {
		return "nothing"
	}
	m := all[0]
	s.id, s.plan = m.Entry.ID, ""
	out := m.Summary
	if m.Recipe != "" {
		out = fmt.Sprintf("%s; applies %v", m.Recipe, m.Applies)
	}
	if m.Differs != "" {
		out += fmt.Sprintf("; another %s", m.Differs)
	}
	return out
}

// replays repeats what was found, and tells of each of its actions.
func (s *story) replays(words []string) (came []string) {
	r := Request{ID: s.id}
	for _, w := range words {
		switch w {
		case "edits":
			r.Edits = true
		case "apply":
			r.Plan = s.plan
		default:
			r.Skip = append(r.Skip, fault.Must(strconv.Atoi(w)))
		}
	}
	got, err := s.cache.Replay(s.Context(), s.w, r)
	if err != nil {
		return []string{err.Error()}
	}
	for _, x := range got.Steps {
		line := fmt.Sprintf("%s %s: %s", x.Tool, x.What, x.State)
		if x.Note != "" {
			line += " (" + x.Note + ")"
		}
		if x.Output != "" {
			line += fmt.Sprintf(" %q", x.Output)
		}
		came = append(came, line)
	}
	for line := range strings.Lines(got.Diff) {
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			came = append(came, strings.TrimSpace(line))
		}
	}
	s.plan = cmp.Or(got.Plan, s.plan)
	if got.Diverged != "" {
		came = append(came, "diverged: "+got.Diverged)
	}
	return came
}
