package event

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Task tells for what a prediction is made. There are weights, a calibration and a record for each
// task. Tasks are stored, so new ones may be added, but none may be renamed.
type Task string

// The tasks.
const (
	TaskPrompt Task = "prompt" // after a prompt: which files will this turn open?
	TaskOpen   Task = "open"   // between tool calls: which file is opened next?
	TaskSearch Task = "search" // after a search that found no file, or too many: which file is opened next?
	// For files that changed: which files change with them? The answer comes from git alone,
	// without a session.
	TaskChange Task = "change"
)

// Query asks for files. The zero value asks for files that fit the most recent work.
type Query struct {
	Task     Task   `json:"task,omitempty"`
	Session  string `json:"session_id,omitempty"`
	Subagent string `json:"agent_id,omitempty"`
	Current  Path   `json:"current_file,omitempty"` // the file being worked on; it is never suggested
	// files of the current work, newest last; empty: those of the session
	Files  []Path   `json:"files,omitempty"`
	Prompt string   `json:"prompt,omitempty"`      // its words and the files that it names are used
	Tags   []string `json:"intent_tags,omitempty"` // with or without '#'; at most 3 are used
	Limit  int      `json:"limit,omitempty"`       // 0 means 5
	Tests  bool     `json:"tests,omitempty"`       // for a change: only tests that belong to it
	// For a single file without a change: leave out files that only large commits or a common folder
	// connect with it. There may then be fewer than Limit.
	Worth   bool      `json:"worth,omitempty"`
	Unseen  bool      `json:"unseen,omitempty"`  // only files that nothing in this session has named
	Explain bool      `json:"explain,omitempty"` // return every reason, not only the strongest ones
	Branch  Branch    `json:"-"`                 // the checked-out branch; set by the daemon
	At      time.Time `json:"-"`                 // the time of the ranking; set by the daemon
}

// PromptQuery returns the query for the files that the turn of a prompt will open.
func PromptQuery(e Event) *Query {
	return &Query{Task: TaskPrompt, Session: e.Session, Subagent: e.Subagent, Prompt: e.Text(),
		Tags: cut(e.Tags(), 3)}
}

// Branch tells what a branch adds to the default branch. The zero value means that no branch is
// known, or that it is the default branch.
type Branch struct {
	Name    string `json:"name"`
	Base    string `json:"base"`    // the default branch
	Commits int    `json:"commits"` // number of commits that the default branch does not have, without merges
	// Files that these commits changed and that may still exist, those of the newest commit first.
	Files []Path `json:"files"`
}

// Answer is the answer to a Query. Later versions add fields to its JSON form and rename none.
type Answer struct {
	Confidence  float64      `json:"confidence"`  // score of the first suggestion, 0 if none exists
	Suggestions []Suggestion `json:"suggestions"` // best first, equal ones by path
	// Usual has, for a change, files that change with almost everything, such as changelogs,
	// manifests and lock files, the most probable first. They are not in Suggestions.
	Usual []Suggestion `json:"usual,omitempty"`
	At    int64        `json:"at"` // time of the ranking, Unix milliseconds
	Ms    float64      `json:"ms"` // time spent, milliseconds
	// Reading means that the daemon has not read all files since its start, or, for a change, not
	// all earlier commits. A later answer may be different.
	Reading bool     `json:"reading,omitempty"`
	Silent  string   `json:"silent,omitempty"`  // why git did not tell what the branch adds
	Unknown []string `json:"unknown,omitempty"` // words of the text that occur in no file, commit or session
	// the branch that the answer is about, or, if the query has a text, the checked-out one
	Branch Branch `json:"branch,omitzero"`
}

// Suggestion is a file with the probability that it is among the session's next 10 file events, or,
// for a change, that it belongs to the change.
type Suggestion struct {
	File    Path       `json:"file"`
	Score   float64    `json:"score"`       // calibrated probability in [0,1]
	Logit   float64    `json:"logit"`       // Σ weight·value of the reasons, before calibration
	Scale   [2]float64 `json:"calibration"` // a, b: score = 1/(1+e^-(a·logit+b))
	Reasons []Reason   `json:"reasons"`     // strongest first
	Unseen  bool       `json:"unseen"`      // nothing in the session has named it
	// Together tells how often it changed with a file of the question; nil if never or unknown.
	Together *Together `json:"together,omitempty"`
	// Link tells, for a change, how names and contents connect a file that shares at most one
	// commit with it, as "same stem"; "" if they do not.
	Link string `json:"link,omitempty"`
	// Precedents are the commits that changed both files and changed Together.With most similarly
	// to this change, at most two, each given by nine digits of its id.
	Precedents []string `json:"precedents,omitempty"`
	// Earlier has at most two pieces of earlier work on the file that share words with the text. It
	// is set only for a text with Explain.
	Earlier []Earlier `json:"earlier,omitempty"`
	// Place is where the file defines what the question is about, or, for a change, what the
	// Precedents changed in it.
	Place
}

// All returns the files in Suggestions and Usual, the most probable first.
func (a *Answer) All() []Suggestion {
	all := slices.Concat(a.Suggestions, a.Usual)
	slices.SortStableFunc(all, func(a, b Suggestion) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// The least probabilities that Chance calls likely and possible.
const (
	LikelyFrom   = 0.50
	PossibleFrom = 0.15
)

// Chance returns a probability as a word for people: likely, possible or weak.
func Chance(p float64) string {
	switch {
	case p >= LikelyFrom:
		return "likely"
	case p >= PossibleFrom:
		return "possible"
	}
	return "weak"
}

// Earlier is earlier work: a commit, or what an agent did after a prompt.
type Earlier struct {
	Commit  string `json:"commit,omitempty"`     // nine digits of its id
	Session string `json:"session_id,omitempty"` // for a prompt: its session
	At      int64  `json:"at"`                   // Unix milliseconds
	// the subject or the beginning of the prompt: data, never an instruction
	Text  string   `json:"text"`
	Words []string `json:"words"` // words of the question that its text has
}

// EarlierOf returns an Earlier for a commit or a prompt, with at most most bytes of the first line
// of its text.
func EarlierOf(e Event, most int) Earlier {
	text, _, _ := strings.Cut(strings.TrimSpace(e.Text()), "\n")
	x := Earlier{At: e.Time.UnixMilli(), Text: Clip(text, most), Words: []string{}}
	if id, is := strings.CutPrefix(e.ID, "commit:"); is {
		x.Commit = id[:min(len(id), 9)]
	} else {
		x.Session = e.Session
	}
	return x
}

// String describes the work for people: `3f2a1c9d0 "Release the lock"`, `a prompt of session 7c2e:
// "fix the lock"`. The text is quoted, because it is data.
func (x Earlier) String() string {
	if x.Commit != "" {
		return Path(x.Commit).Display() + " " + Quote(x.Text)
	}
	return "a prompt of session " + Path(x.Session).Quoted() + ": " + Quote(x.Text)
}

// Place is a definition in a program, or a heading in a document. Line is 0 if the place is not
// known.
type Place struct {
	Line    int    `json:"line,omitempty"`    // line number, from 1 on
	Symbol  string `json:"symbol,omitempty"`  // its name as it is in the file, to be treated as data; "" if none exists
	Heading bool   `json:"heading,omitempty"` // the place is a heading
}

// After returns the name of the file followed by the place: `docs/commands.md:41 "suggest"`,
// `app.go:12 App.run`. A symbol that is not a plain name is quoted. A symbol that a model could
// take for a sentence is left out.
func (p Place) After(file string) string {
	if p.Line == 0 {
		return file
	}
	text := fmt.Sprintf("%s:%d", file, p.Line)
	plain := !p.Heading && !strings.ContainsFunc(p.Symbol, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.'
	})
	switch {
	case !Path(p.Symbol).Mentionable():
		return text
	case plain:
		return text + " " + p.Symbol
	}
	return text + " " + Quote(p.Symbol)
}

// Together tells how often two files changed in one commit.
type Together struct {
	With     Path `json:"with"`
	Both     int  `json:"both"`      // number of commits that changed both files
	Of       int  `json:"of"`        // number of commits that changed With
	Recent   int  `json:"recent"`    // number of commits, of the newest 50 that changed With, that changed both
	OfRecent int  `json:"of_recent"` // how many commits Recent is counted in: 50, or fewer
}

// String returns the counts as people see them: "59 of 457 commits, 10 of the last 50".
func (t Together) String() string {
	if t.OfRecent >= t.Of {
		return fmt.Sprintf("%d of %d commits", t.Both, t.Of)
	}
	return fmt.Sprintf("%d of %d commits, %d of the last %d", t.Both, t.Of, t.Recent, t.OfRecent)
}

// Reason is the contribution of one signal to a score: weight·value is added to the logit.
type Reason struct {
	Signal string  `json:"signal"`
	Value  float64 `json:"value"`  // between 0 and 1
	Weight float64 `json:"weight"` // added to the logit for a value of 1
	Text   string  `json:"text,omitempty"`
	With   Path    `json:"with,omitempty"` // the file that Text names
	// Evidence means that Text names something that a reader can look up: another file, or words.
	Evidence bool `json:"-"`
}

// Words returns the text of Reason, "" if none exists.
func (s Suggestion) Words() string { return s.Reason().Text }

// Reason returns the one reason to show: the strongest one that raises the file's score and
// connects the file with the query. A reason such as that the file is recent or near is shown only
// if there is no other. It returns the zero Reason if no reason has a text.
func (s Suggestion) Reason() (weak Reason) {
	for _, r := range s.Reasons {
		if r.Text == "" || r.Value*r.Weight <= 0 {
			continue
		}
		switch r.Signal {
		case "committed", "churn", "frequency", "directory", "recency_hour", "recency_day":
			if weak.Text == "" {
				weak = r
			}
		default:
			return r
		}
	}
	return weak
}
