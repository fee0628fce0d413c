package event

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Task says what a prediction is made for. Weights, calibration and records are kept per task.
// Tasks are stored, so new ones may be added and none may be renamed.
type Task string

// The tasks.
const (
	TaskPrompt Task = "prompt" // a prompt came: which files will this turn open?
	TaskOpen   Task = "open"   // between tool calls: which file is opened next?
	TaskSearch Task = "search" // a search named no file, or too many: which file is opened next?
	TaskChange Task = "change" // these files changed: which change with them? (from git only, without a session)
)

// Query asks for files. The zero value asks for the files of the most recent work.
type Query struct {
	Task     Task      `json:"task,omitempty"`
	Session  string    `json:"session_id,omitempty"`
	Subagent string    `json:"agent_id,omitempty"`
	Current  Path      `json:"current_file,omitempty"` // never suggested
	Files    []Path    `json:"files,omitempty"`        // files of the current work, newest last; empty: the session's own
	Prompt   string    `json:"prompt,omitempty"`       // its terms and named files are taken
	Tags     []string  `json:"intent_tags,omitempty"`  // with or without '#'; at most 3 count
	Limit    int       `json:"limit,omitempty"`        // 0 is 5
	Tests    bool      `json:"tests,omitempty"`        // of a change: only the tests that go with it
	Unseen   bool      `json:"unseen,omitempty"`       // only files that nothing has named in this session
	Explain  bool      `json:"explain,omitempty"`      // keep every reason, not only the strongest ones
	Branch   Branch    `json:"-"`                      // the branch that is checked out; the daemon sets it
	At       time.Time `json:"-"`                      // the time to rank at; the daemon sets it
}

// PromptQuery asks which files the turn of a prompt opens.
func PromptQuery(e Event) *Query {
	return &Query{Task: TaskPrompt, Session: e.Session, Subagent: e.Subagent, Prompt: e.Text(),
		Tags: cut(e.Tags(), 3)}
}

// Branch says what a branch adds to the default branch. The zero value means that no branch is
// known, or that it is the default branch.
type Branch struct {
	Name    string `json:"name"`
	Base    string `json:"base"`    // the default branch
	Commits int    `json:"commits"` // that the default branch does not have, without merges
	Files   []Path `json:"files"`   // that they changed and that may still exist, those of the newest commit first
}

// Answer answers a Query. Later versions add fields to its JSON form and rename none.
type Answer struct {
	Confidence  float64      `json:"confidence"`  // the first suggestion's score, 0 without suggestions
	Suggestions []Suggestion `json:"suggestions"` // best first, ties by path
	// of a change: files that belong to nearly everything, as changelogs, manifests and lock files
	// do, the likeliest first; they are not among Suggestions
	Usual []Suggestion `json:"usual,omitempty"`
	At    int64        `json:"at"` // time of the ranking, Unix milliseconds
	Ms    float64      `json:"ms"` // time spent, milliseconds
	// the daemon has not read all files since its start, or, for a change, not what earlier commits
	// changed: a later answer may be another one
	Reading bool     `json:"reading,omitempty"`
	Silent  string   `json:"silent,omitempty"`  // why git did not say what the branch adds
	Unknown []string `json:"unknown,omitempty"` // words of the text that no file, commit or session has
	Branch  Branch   `json:"branch,omitzero"`   // the branch that is answered about; with a text: that is checked out
}

// Suggestion is a file with the probability that it is opened within the session's next 10 file
// events (task change: that it belongs to the change).
type Suggestion struct {
	File    Path       `json:"file"`
	Score   float64    `json:"score"`       // calibrated probability in [0,1]
	Logit   float64    `json:"logit"`       // Σ weight·value of the reasons, before calibration
	Scale   [2]float64 `json:"calibration"` // a, b: score = 1/(1+e^-(a·logit+b))
	Reasons []Reason   `json:"reasons"`     // strongest first
	Unseen  bool       `json:"unseen"`      // nothing in the session had named it
	// how often it changed with a file of the question; nil if never or unknown
	Together *Together `json:"together,omitempty"`
	// of a change, what names and contents say of a file that shares at most one commit with it:
	// "same stem"; "": nothing
	Link string `json:"link,omitempty"`
	// the commits of Together.With whose change of it is most like the present one and that changed
	// the file, too, at most two; nine digits of their ids
	Precedents []string `json:"precedents,omitempty"`
	// with Explain, of a text: earlier work with its words that touched the file, at most two
	Earlier []Earlier `json:"earlier,omitempty"`
	// Where the file defines what the question is about. For a change: what the Precedents changed
	// in it.
	Place
}

// All are the files of Suggestions and Usual, the likeliest first.
func (a *Answer) All() []Suggestion {
	all := slices.Concat(a.Suggestions, a.Usual)
	slices.SortStableFunc(all, func(a, b Suggestion) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// The probabilities from which on Chance uses the next stronger word.
const (
	LikelyFrom   = 0.50
	PossibleFrom = 0.15
)

// Chance is a probability for people: likely, possible or weak.
func Chance(p float64) string {
	switch {
	case p >= LikelyFrom:
		return "likely"
	case p >= PossibleFrom:
		return "possible"
	}
	return "weak"
}

// Earlier is work that was done before: a commit, or what an agent did at a prompt.
type Earlier struct {
	Commit  string   `json:"commit,omitempty"`     // nine digits of its id
	Session string   `json:"session_id,omitempty"` // of a prompt
	At      int64    `json:"at"`                   // Unix milliseconds
	Text    string   `json:"text"`                 // the subject or the beginning of the prompt: data
	Words   []string `json:"words"`                // of the question that it has
}

// EarlierOf names a commit or a prompt, with at most most bytes of the first line of its text.
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

// String is the work for people: `3f2a1c9d0 "Release the lock"`, `a prompt of session 7c2e: "fix
// the lock"`. The text is quoted as data.
func (x Earlier) String() string {
	if x.Commit != "" {
		return Path(x.Commit).Display() + " " + Quote(x.Text)
	}
	return "a prompt of session " + Path(x.Session).Quoted() + ": " + Quote(x.Text)
}

// Place is a definition of a program or a heading of a document. Line 0: the place is not known.
type Place struct {
	Line    int    `json:"line,omitempty"`    // from 1 on
	Symbol  string `json:"symbol,omitempty"`  // its name as the file has it, which is data; "" if there is none
	Heading bool   `json:"heading,omitempty"` // it is a heading
}

// After puts the place after the name of its file: `docs/commands.md:41 "suggest"`, `app.go:12
// App.run`. A symbol that is not a plain name is quoted, and one that a model could take for a
// sentence is left out.
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

// Together says how often two files changed in one commit.
type Together struct {
	With     Path `json:"with"`
	Both     int  `json:"both"`      // commits that changed both files
	Of       int  `json:"of"`        // commits that changed With
	Recent   int  `json:"recent"`    // commits of both among the newest 50 of With
	OfRecent int  `json:"of_recent"` // how many those are
}

// String returns the counts as people see them: "59 of 457 commits, 10 of the last 50".
func (t Together) String() string {
	if t.OfRecent >= t.Of {
		return fmt.Sprintf("%d of %d commits", t.Both, t.Of)
	}
	return fmt.Sprintf("%d of %d commits, %d of the last %d", t.Both, t.Of, t.Recent, t.OfRecent)
}

// Reason is one signal's share in a score: weight·value is added to the logit.
type Reason struct {
	Signal string  `json:"signal"`
	Value  float64 `json:"value"`  // in [0,1]
	Weight float64 `json:"weight"` // in logits
	Text   string  `json:"text,omitempty"`
	With   Path    `json:"with,omitempty"` // the file that Text names
	// Text is evidence that a reader can look up: it names another file, or words
	Evidence bool `json:"-"`
}

// Words returns the text of Reason, or "".
func (s Suggestion) Words() string { return s.Reason().Text }

// Reason returns the one reason to show: the strongest one that raises the file's score and says
// what links the file to the query. That a file is recent or near is shown only if there is no
// other reason. It returns the zero Reason if no reason has a text.
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
