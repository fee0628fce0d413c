package prefetch

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// HintKind is the kind of a hint: what it is about and when it is asked. Each kind has its own
// switch, threshold and record. Kinds are stored in the event log (event.Hint.Name).
type HintKind string

// The kinds of hints.
const (
	Next    HintKind = "next"         // between tool calls: the file opened next
	Prompt  HintKind = "prompt"       // at a prompt: a list of files, one of which the turn probably opens
	Partner HintKind = "partner"      // when a change looks complete (LooksAtChange): what changes with it and is untouched
	Rescue  HintKind = "rescue"       // a call failed on a path
	Start   HintKind = "start"        // a session begins, resumes or was compacted
	Search  HintKind = "search"       // a search named no file, or too many: what it means, else a list of files
	Stale   HintKind = "stale"        // a file changed since the session read it
	Reload  HintKind = session.Reload // a prompt arrived: recorded sequences that such prompts led to
)

// MaxFiles is the most files that one decision shows.
const MaxFiles = 5

// trait has what the decision needs to know of a kind.
type trait struct {
	task  event.Task
	files int  // shown at most
	hint  bool // an unrequested guess: unseen files only, rate-limited
	fact  bool // true whatever the scores say: found by looking, with neither threshold nor rate limit
	text  bool // its words do not name the files that are predicted (see Question.Topic)
	list  bool // a list is decided on, counted and withheld as a whole: see ListModel

	label session.Label // what its predictions are about
	aim   float64       // share of what it shows that should be used; 0 is targetPrecision
}

// start is where the kind's threshold starts under a setting.
func (t trait) start(setting float64) float64 {
	if t.list {
		return ListThreshold
	}
	return clamp(setting)
}

func (t trait) target() float64 {
	if t.aim > 0 {
		return t.aim
	}
	return targetPrecision
}

// traits of all kinds. A guess between calls costs attention for one file only, so it names fewest.
// A prompt comes once a turn and before any search: a list costs little there.
var traits = map[HintKind]trait{
	Next:    {task: event.TaskOpen, label: session.LabelNext, files: 2, hint: true},
	Prompt:  {task: event.TaskPrompt, label: session.LabelTurn, files: MaxFiles, list: true, aim: listAim},
	Partner: {task: event.TaskChange, label: session.LabelChange, files: MaxFiles},
	Rescue:  {label: session.LabelOpen, files: 1, fact: true},
	Start:   {label: session.LabelOpen, files: MaxFiles, fact: true},
	Search:  {task: event.TaskSearch, label: session.LabelTurn, files: MaxFiles, list: true, aim: listAim},
	Stale:   {label: session.LabelOpen, files: MaxFiles, fact: true},
	Reload: {task: event.TaskPrompt, label: session.LabelTurn, files: MaxFiles, fact: true, list: true, text: true,
		aim: listAim},
}

// Fact reports whether what the kind says was found by looking, and never ranked.
func (k HintKind) Fact() bool { return traits[k].fact }

// labelOf returns what counts as a success for a kind.
func labelOf(k HintKind) session.Label { return traits[k].label }

// Kinds lists all kinds in a fixed order.
func Kinds() []HintKind {
	return []HintKind{Next, Prompt, Partner, Rescue, Search, Start, Stale, Reload}
}

// Status says what was done with a predicted file. Statuses are stored in the event log
// (event.Hint).
type Status string

// The statuses of a prediction.
const (
	Shown    Status = session.Shown  // in the text
	Withheld Status = "withheld"     // would have been shown, but was withheld to measure what showing changes
	Shadow   Status = session.Shadow // below the threshold, or too soon after the last hint: logged for the base rate
)
