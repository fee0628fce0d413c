package event

import "time"

// Moment says where in the work a question is asked. Weights, calibration and records are kept per moment.
type Moment string

const (
	MomentPrompt Moment = "prompt" // a prompt arrived: which files will this turn open?
	MomentOpen   Moment = "open"   // between tool calls: which file is opened next?
	MomentChange Moment = "change" // these files changed: which change with them? (git only, no session)
)

// Query asks for files. The zero value asks for the files of the most recent work.
type Query struct {
	Moment   Moment    `json:"moment,omitempty"`
	Session  string    `json:"session_id,omitempty"`
	Subagent string    `json:"agent_id,omitempty"`
	Current  Path      `json:"current_file,omitempty"` // never suggested
	Files    []Path    `json:"files,omitempty"`        // files in hand, newest last; empty: the session's own
	Prompt   string    `json:"prompt,omitempty"`       // its terms and named files are taken
	Tags     []string  `json:"intent_tags,omitempty"`  // with or without '#'; at most 3 count
	Limit    int       `json:"limit,omitempty"`        // 0 is 5
	Unseen   bool      `json:"unseen,omitempty"`       // only files that nothing has named in this session
	Explain  bool      `json:"explain,omitempty"`      // keep every reason, not the strongest ones only
	At       time.Time `json:"-"`                      // the time to rank at; the daemon sets it
}

// Answer is what a Query gets. Its JSON form is stable; fields are only ever added.
type Answer struct {
	Confidence  float64      `json:"confidence"`        // the first suggestion's score, 0 when there is none
	Suggestions []Suggestion `json:"suggestions"`       // best first, ties by path
	At          int64        `json:"at"`                // unix milliseconds of the ranking
	Ms          float64      `json:"ms"`                // milliseconds spent
	Reading     bool         `json:"reading,omitempty"` // the daemon has just started and the contents of the files are not read yet: asked again in a second, it may say more
}

// Suggestion is a file with the probability that it is opened within the session's next 10 file events
// (moment change: that it belongs to the change).
type Suggestion struct {
	File    Path       `json:"file"`
	Score   float64    `json:"score"`       // calibrated probability in [0,1]
	Logit   float64    `json:"logit"`       // Σ weight·value of the reasons, before calibration
	Scale   [2]float64 `json:"calibration"` // a, b: score = 1/(1+e^-(a·logit+b))
	Reasons []Reason   `json:"reasons"`     // strongest first
	Unseen  bool       `json:"unseen"`      // nothing in the session had named it
}

// Reason is one signal's share in a score: weight·value is added to the logit.
type Reason struct {
	Signal string  `json:"signal"`
	Value  float64 `json:"value"`  // in [0,1]
	Weight float64 `json:"weight"` // in logits
	Text   string  `json:"text,omitempty"`
}

// Words is the reason to give when there is room for one: the strongest that speaks for the file and says what
// links it to the question. That a file is recent, or lies near, is only said when nothing else is.
func (s Suggestion) Words() string {
	weak := ""
	for _, r := range s.Reasons {
		if r.Text == "" || r.Value*r.Weight <= 0 {
			continue
		}
		switch r.Signal {
		case "committed", "churn", "frequency", "directory", "recency_hour", "recency_day":
			if weak == "" {
				weak = r.Text
			}
		default:
			return r.Text
		}
	}
	return weak
}
