package reload

import "github.com/aoa-dev/aoa/internal/index"

// The types of triggers.
const (
	Prompt    = "prompt"    // a person's words
	Command   = "command"   // a slash command: Target is its name
	Scheduled = "scheduled" // a timer's words
	Resume    = "resume"    // a session that went on without a prompt: Target is how
)

// Trigger is what began a sequence.
type Trigger struct {
	Type   string `json:"triggerType"`
	Target string `json:"triggerTarget"`
}

// exact reports whether equal triggers alone say that it is the same request: every prompt is a prompt.
func (t Trigger) exact() bool { return t.Type != Prompt }

// Fingerprint is by what a sequence is found again.
type Fingerprint struct {
	Trigger
	State string // hash of the workspace's state: HEAD, branch, changed files; "" if unknown

	request index.Request
	vector  []float32 // of Options.Embed, nil without one
}

func newFingerprint(t Trigger, text, state string, embed func(string) []float32) Fingerprint {
	f := Fingerprint{Trigger: t, State: state, request: index.NewRequest(text)}
	if embed != nil && f.request.Len() > 0 {
		f.vector = embed(text)
	}
	return f
}
