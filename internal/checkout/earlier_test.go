package checkout

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestEarlierWork: the work with the rarest words of a question is named, commits by their id and
// turns by their session.
func TestEarlierWork(t *testing.T) {
	at := time.UnixMilli(1000)
	work := []event.Event{
		{ID: "e1", Session: "s1", Time: at, Body: event.Prompt{Text: "release the unique lock\nafter a failed job"}},
		{ID: "commit:3f2a1c9d0aaaaaaa", Time: at, Body: event.Commit{Text: "Release the \"unique\" lock"}},
		{ID: "commit:b81c02d77aaaaaaa", Time: at, Body: event.Commit{Text: "Release again"}},
		{ID: "commit:cccccccccaaaaaaa", Time: at, Body: event.Commit{Text: "Something else"}},
	}
	asked := func(text string) []event.Earlier { return like(index.Terms(text, 9), index.Spellings(text), work) }
	got := asked("release the unique jobs")
	fault.Same(t, "named", fmt.Sprint(got), `[a prompt of session s1: "release the unique lock" 3f2a1c9d0 "Release the \x22unique\x22 lock"]`)
	fault.Same(t, "words", fmt.Sprint(got[0].Words, got[1].Words), "[release unique jobs] [release unique]")
	fault.Same(t, "without a word", len(asked("flag")), 0)
}
