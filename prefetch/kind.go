package prefetch

import (
	"cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// HintKind is the kind of a hint: what the hint is about and when it may come. Each kind has its
// own switch, threshold and record. Kinds are stored in the event log (event.Hint.Name).
type HintKind string

// The kinds of hints.
const (
	Next   HintKind = "next"   // between tool calls: the file that will be opened next
	Prompt HintKind = "prompt" // at a prompt: a list of files, one of which the turn will probably open
	// when a change looks complete: files that usually change with it and are missing
	Partner HintKind = "partner"
	Rescue  HintKind = "rescue" // a call failed on a path
	Start   HintKind = "start"  // a session begins, resumes or was compacted
	// a search found no file, or too many: the files that it means, else a list of probable files
	Search HintKind = "search"
	Stale  HintKind = "stale"        // a file changed since the session read it
	Reload HintKind = session.Reload // a prompt arrived: recorded tool calls that similar prompts led to
)

// MaxFiles is the largest number of files that one decision shows.
const MaxFiles = 5

// trait has the properties of a kind that a decision needs.
type trait struct {
	task  event.Task
	files int  // shown at most
	hint  bool // it interrupts without being asked for: only files not seen yet, and not too often
	fact  bool // it was looked up, so scores do not matter: neither threshold nor rate limit applies
	news  bool // it tells something new of a file that a hint of another kind has named
	text  bool // its text does not name the predicted files (see Question.Topic)
	list  bool // a list is decided, counted and withheld as a whole: see ListModel

	label session.Label // when its predictions count as right
	aim   float64       // share of shown files that should be used; 0 means targetPrecision
}

// start returns where the threshold of the kind starts. setting is the threshold that the user has
// set.
func (t trait) start(setting float64) float64 {
	if t.list {
		return ListThreshold
	}
	return clamp(setting)
}

func (t trait) target() float64 { return cmp.Or(t.aim, targetPrecision) }

// traits has the trait of each kind. A guess between calls costs attention for a single file, so it
// shows the fewest files. A prompt comes once per turn and before any search, so a list costs
// little there.
var traits = map[HintKind]trait{
	Next:    {task: event.TaskOpen, label: session.LabelNext, files: 2, hint: true},
	Prompt:  {task: event.TaskPrompt, label: session.LabelTurn, files: MaxFiles, list: true, aim: listAim},
	Partner: {task: event.TaskChange, label: session.LabelChange, files: MaxFiles, news: true},
	Rescue:  {label: session.LabelOpen, files: 1, fact: true, news: true},
	Start:   {label: session.LabelOpen, files: MaxFiles, fact: true, news: true},
	Search:  {task: event.TaskSearch, label: session.LabelTurn, files: MaxFiles, list: true, aim: listAim},
	Stale:   {label: session.LabelOpen, files: MaxFiles, fact: true, news: true},
	Reload: {task: event.TaskPrompt, label: session.LabelTurn, files: MaxFiles, fact: true, news: true, list: true,
		text: true, aim: listAim},
}

// labelOf returns when predictions of a kind count as right.
func labelOf(k HintKind) session.Label { return traits[k].label }

// Kinds returns all kinds in a fixed order.
func Kinds() []HintKind {
	return []HintKind{Next, Prompt, Partner, Rescue, Search, Start, Stale, Reload}
}

// Status tells what was done with a predicted file. Statuses are stored in the event log
// (event.Hint).
type Status string

// The statuses of a prediction.
const (
	Shown    Status = session.Shown // the file is named in the text of the hint
	Withheld Status = "withheld"    // would have been shown, but was withheld to measure the effect of showing
	// Below the threshold, or too soon after the last hint. It is logged as a baseline.
	Shadow Status = session.Shadow
)
