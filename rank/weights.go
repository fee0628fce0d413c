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

// Scale has a and b of a calibration: probability = 1/(1+e^-(a·logit+b)).
type Scale [2]float64

// Uncalibrated is the scale that leaves the logit as it is.
var Uncalibrated = Scale{1, 0}

// Model has the weights by which a task turns signals into a logit.
type Model struct {
	Weights Values

	// UnseenWeights are the weights for files that nothing in the session has named; all zero means
	// the same as Weights.
	UnseenWeights Values
}

// weightsFor returns the weights that apply to a file.
func (m Model) weightsFor(unseen bool) Values {
	if !unseen || m.UnseenWeights == (Values{}) {
		return m.Weights
	}
	return m.UnseenWeights
}

// plus returns a model with the weights of another one added.
func (m Model) plus(more Model) Model {
	for s := range m.Weights {
		m.Weights[s] += more.Weights[s]
		m.UnseenWeights[s] += more.UnseenWeights[s]
	}
	return m
}

// read returns the weights of Weights, with those of UnseenWeights where they are not 0. Signals
// that are 0 in the result need not be computed.
func (m Model) read() Values {
	w := m.Weights
	for s, u := range m.UnseenWeights {
		if u != 0 {
			w[s] = u
		}
	}
	return w
}

// Prior returns the model for each task that aOa ships with: weights.json. measured.json tells how
// well it does on repositories that it was not fitted on.
func Prior() map[event.Task]Model {
	models, _ := prior()
	return maps.Clone(models)
}

//go:embed weights.json
var shipped []byte

var prior = sync.OnceValues(func() (map[event.Task]Model, Texts) {
	models, texts, err := Parse(shipped)
	if err != nil {
		panic(err) // a test reads the same bytes
	}
	return models, texts
})

// File is what the program reads of weights.json.
type File struct {
	Tasks map[event.Task]FileModel      `json:"tasks"`
	Texts map[string]map[string]float64 `json:"texts"` // by kind of text: the weights of text signals
}

// FileModel is a Model in which signals have their names.
type FileModel struct {
	Weights       map[string]float64 `json:"weights"`
	UnseenWeights map[string]float64 `json:"unseen_weights,omitempty"`
}

// ErrWeights means that a file of weights cannot be used.
var ErrWeights = errors.New("unusable weights")

// tasks lists the tasks that have weights.
var tasks = []event.Task{event.TaskPrompt, event.TaskOpen, event.TaskSearch, taskText, taskIssue, taskBranch, taskName}

// Parse reads a file of weights. Each task must have a model, and each weight must name a signal.
// The weights for a search that failed are added to those between calls.
func Parse(data []byte) (models map[event.Task]Model, texts Texts, err error) {
	var f File
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, texts, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	models = map[event.Task]Model{}
	for _, task := range tasks {
		from, ok := f.Tasks[task]
		if !ok {
			return nil, texts, fmt.Errorf("%w: none for the task %s", ErrWeights, task)
		}
		var m Model
		err = errors.Join(err, byName(m.Weights[:], signalNames, from.Weights),
			byName(m.UnseenWeights[:], signalNames, from.UnseenWeights))
		models[task] = m
	}
	models[event.TaskSearch] = models[event.TaskOpen].plus(models[event.TaskSearch])
	texts, textErr := NewTexts(f.Texts)
	return models, texts, errors.Join(err, textErr)
}

// NewTexts returns weights for texts from a map of kinds to the names of text signals.
func NewTexts(weights map[string]map[string]float64) (texts Texts, err error) {
	for k, kind := range textKindNames {
		err = errors.Join(err, byName(texts[k][:], textSignalNames, weights[kind]))
	}
	return texts, err
}

// byName puts weights into the order of the names of their signals.
func byName(to []float64, names []string, weights map[string]float64) error {
	for name, w := range weights {
		s := slices.Index(names, name)
		if s < 0 {
			return fmt.Errorf("%w: %q is not a signal", ErrWeights, name)
		}
		to[s] = w
	}
	return nil
}

// SignalNames returns the names of all signals, in their order.
func SignalNames() []string { return signalNames }
