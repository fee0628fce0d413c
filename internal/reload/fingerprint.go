package reload

import (
	"fmt"

	"github.com/aoa-dev/aoa/internal/index"
)

// The types of triggers.
const (
	Prompt    = "prompt"    // a person's words
	Command   = "command"   // a slash command: Target is its name
	Scheduled = "scheduled" // a timer's words
	Resume    = "resume"    // a session that continues without a prompt: Target is how
)

// Trigger is what began a sequence.
type Trigger struct {
	Type   string `json:"triggerType"`
	Target string `json:"triggerTarget"`
}

// exact reports whether equal triggers alone mean the same request. Every prompt has the trigger of every other.
func (t Trigger) exact() bool { return t.Type != Prompt }

// fingerprint is what a sequence is found by.
type fingerprint struct {
	Trigger
	state   string // hash of the state of the worktree: HEAD, branch, changed files; "" if unknown
	request index.Request
}

func newFingerprint(t Trigger, text, state string) fingerprint {
	return fingerprint{t, state, index.NewRequest(text)}
}

// contentFloor is what the words alone must reach: a trigger and a state would reach 0.7 without a common word.
const contentFloor = 0.5

// Match is an entry that fits what is asked now.
type Match struct {
	Entry      *Entry
	Similarity float64 // in [0,1]
	Reason     string  // the parts of the similarity, in words
}

// exactSimilarity is that of equal exact triggers: 0.5 + 0.3·content + 0.2·(same state).
func exactSimilarity(f fingerprint, e *Entry, content float64) (float64, string) {
	s, state := 0.5+0.3*content, "another state"
	if f.state != "" && f.state == e.State {
		s, state = s+0.2, "the same state"
	}
	return min(s, 1), fmt.Sprintf("same %s %q, words %d%%, %s", f.Type, f.Target, percent(content), state)
}

// promptSimilarity is that of prompts: 0.75·content + 0.25·(share of the entry's files that are unchanged). Every
// prompt would earn the 0.5 of a trigger, and an exact state hardly ever returns.
func promptSimilarity(content, unchanged float64) (float64, string) {
	return min(0.75*content+0.25*unchanged, 1), fmt.Sprintf("words %d%%, files unchanged %d%%", percent(content),
		percent(unchanged))
}

func percent(f float64) int { return int(f*100 + 0.5) }
