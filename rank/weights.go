package rank

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Scale is a, b of a calibration: probability = 1/(1+e^-(a·logit+b)).
type Scale [2]float64

// Uncalibrated is the scale of a Score: the logit as it is.
var Uncalibrated = Scale{1, 0}

// Model has what a task needs to turn signals into a logit.
type Model struct {
	Weights Values

	// UnseenWeights are the weights for files that nothing in the session has named; all zero means
	// the same as Weights.
	UnseenWeights Values
}

// weightsFor returns the weights that hold for a file.
func (m Model) weightsFor(unseen bool) Values {
	if !unseen || m.UnseenWeights == (Values{}) {
		return m.Weights
	}
	return m.UnseenWeights
}

// plus is a model with the weights of another one added.
func (m Model) plus(more Model) Model {
	for s := range m.Weights {
		m.Weights[s] += more.Weights[s]
		m.UnseenWeights[s] += more.UnseenWeights[s]
	}
	return m
}

// read holds the signals that some file is weighed by: the others need not be looked up.
func (m Model) read() Values {
	w := m.Weights
	for s, u := range m.UnseenWeights {
		if u != 0 {
			w[s] = u
		}
	}
	return w
}

// Prior is the model that aOa ships with, one per task: weights.json. measured.json beside it says
// what it reaches on repositories that it was not fitted on.
func Prior() map[event.Task]Model { return maps.Clone(prior()) }

//go:embed weights.json
var shipped []byte

var prior = sync.OnceValue(func() map[event.Task]Model {
	models, err := Parse(shipped)
	if err != nil {
		panic(err) // a test reads the same bytes
	}
	return models
})

// File is the form of weights.json.
type File struct {
	About     string                        `json:"about"`
	Command   string                        `json:"command"`   // that made it
	Questions int                           `json:"questions"` // that it was fitted on
	Tasks     map[event.Task]FileModel      `json:"tasks"`
	Texts     map[string]map[string]float64 `json:"texts"` // kind of text → weights of text signals
}

// FileModel is a Model by the names of signals.
type FileModel struct {
	Weights       map[string]float64 `json:"weights"`
	UnseenWeights map[string]float64 `json:"unseen_weights,omitempty"`
}

// ErrWeights says that a file of weights cannot be used.
var ErrWeights = errors.New("unusable weights")

// tasks lists the tasks that have weights.
var tasks = []event.Task{event.TaskPrompt, event.TaskOpen, event.TaskSearch, taskText, taskIssue, taskBranch, taskName}

// Parse reads a file of weights. Each task needs one, and each weight a signal. Those of a search
// that failed are added to those between calls.
func Parse(data []byte) (map[event.Task]Model, error) {
	var f File
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	out := map[event.Task]Model{}
	for _, task := range tasks {
		from, ok := f.Tasks[task]
		if !ok {
			return nil, fmt.Errorf("%w: none for the task %s", ErrWeights, task)
		}
		var m Model
		if err := errors.Join(byName(&m.Weights, from.Weights), byName(&m.UnseenWeights, from.UnseenWeights)); err != nil {
			return nil, err
		}
		out[task] = m
	}
	out[event.TaskSearch] = out[event.TaskOpen].plus(out[event.TaskSearch])
	return out, nil
}

// priorTexts are the shipped weights of texts.
var priorTexts = sync.OnceValue(func() Texts {
	texts, err := ParseTexts(shipped)
	if err != nil {
		panic(err) // a test reads the same bytes
	}
	return texts
})

// ParseTexts reads the weights of texts of a file of weights.
func ParseTexts(data []byte) (texts Texts, err error) {
	var f File
	if err := json.Unmarshal(data, &f); err != nil {
		return texts, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	return NewTexts(f.Texts)
}

// NewTexts makes weights of texts from those of kinds by the names of text signals.
func NewTexts(weights map[string]map[string]float64) (texts Texts, err error) {
	for k, kind := range textKindNames {
		for name, w := range weights[kind] {
			s := slices.Index(textSignalNames[:], name)
			if s < 0 {
				return texts, fmt.Errorf("%w: %q is no text signal", ErrWeights, name)
			}
			texts[k][s] = w
		}
	}
	return texts, nil
}

func byName(to *Values, from map[string]float64) error {
	for name, w := range from {
		s, known := signalOf(name)
		if !known {
			return fmt.Errorf("%w: %q is no signal", ErrWeights, name)
		}
		to[s] = w
	}
	return nil
}

// SignalNames are the names of all signals, in their order.
func SignalNames() []string { return signalNames[:] }
