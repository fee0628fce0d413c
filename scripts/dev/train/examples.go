package main

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// question is one decision of a replay with its candidates.
type question struct {
	Repo    int
	Session string
	Task    event.Task
	Again   bool // The prompt before was already asked about, so nothing is shown.
	After   bool // asked right after a file event, where no open begins now
	Files   []file
	Truth   int // number of files that were right, with those that are not candidates
	Unseen  int // how many of them nothing had named
}

// file is a candidate with its values that are not 0 and with its outcome.
type file struct {
	Path    uint32  // identifies the file within the question and in other questions of the session
	Signals []uint8 // rising
	Values  []float32
	Target  bool // the file was right
	Used    bool // the file was opened within the horizon
	Out     bool // it cannot be an answer, because the prompt named it
	Seen    bool
}

// set has all questions that were collected.
type set struct {
	Repos     []string
	Questions []question
	Signals   []string
}

// Limits for thinning. Most candidates of a question are never the answer, so of those after the
// first farAway only each thinned-th is kept.
const (
	farAway = 60
	calm    = 3 // of the questions after which nothing was opened, each third is kept
)

// gather replays the traces and collects what training needs.
func gather(ctx context.Context, traces, repos string, options recorded.Options) (*set, error) {
	all, err := recorded.Sources(ctx, traces, repos)
	if err != nil {
		return nil, err
	}
	out := &set{Signals: rank.SignalNames()}
	parts := make([][]question, len(all))
	err = recorded.Each(ctx, len(all), func(ctx context.Context, i int) (err error) {
		parts[i], err = questions(ctx, i, all[i], options)
		return err
	})
	for i, s := range all {
		out.Repos = append(out.Repos, s.Name)
		out.Questions = append(out.Questions, parts[i]...)
	}
	return out, err
}

// questions returns the questions of one repository.
func questions(ctx context.Context, repo int, s recorded.Source, o recorded.Options) (out []question, err error) {
	n := 0
	take := func(d *recorded.Decision) error {
		n++
		if q, ok := ask(d, n); ok {
			q.Repo = repo
			out = append(out, q)
		}
		return nil
	}
	if err := recorded.Sessions(ctx, s, o, take); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d questions, %d kept\n", s.Name, n, len(out))
	return out, nil
}

// ask turns a decision into a question. If ok is false, nothing can be learned from it.
func ask(d *recorded.Decision, n int) (question, bool) {
	q := question{Session: d.Session, Task: d.Query.Task, Again: d.AfterPrompt}
	target := map[event.Path]bool{}
	add := func(p event.Path, unseen bool) {
		target[p] = true
		q.Truth++
		if unseen {
			q.Unseen++
		}
	}
	switch q.Task {
	case event.TaskPrompt:
		for _, p := range d.Turn {
			add(p, d.Stratum(p) == recorded.Unseen)
		}
	case event.TaskSearch:
		for _, p := range d.Search.Opened {
			add(p, d.Stratum(p) == recorded.Unseen)
		}
	case event.TaskOpen:
		opens := d.Next
		if len(opens) == 0 {
			opens, q.After = d.After, true
		}
		for _, o := range opens {
			if o.Stratum != recorded.Named {
				add(o.File, o.Stratum == recorded.Unseen)
			}
		}
	}
	if q.Truth == 0 && n%calm != 0 {
		return q, false
	}
	for i, r := range d.Ranked {
		if i >= farAway && !target[r.File] && !d.Used[r.File] && (i+n)%3 != 0 && q.Truth == 0 {
			continue
		}
		values := r.Values()
		f := newFile(r.File, values[:], target[r.File])
		f.Used, f.Out, f.Seen = d.Used[r.File], d.Prompted[r.File], d.Stratum(r.File) != recorded.Unseen
		if q.Task == event.TaskOpen {
			f.Out = d.Stratum(r.File) == recorded.Named
		}
		q.Files = append(q.Files, f)
	}
	return q, true
}

// newFile returns a candidate with its values that are not 0.
func newFile(p event.Path, values []float64, target bool) file {
	f := file{Path: number(p), Target: target, Used: target}
	for s, v := range values {
		if v != 0 {
			f.Signals, f.Values = append(f.Signals, uint8(s)), append(f.Values, float32(v))
		}
	}
	return f
}

// value returns the value of a signal.
func (f *file) value(s rank.Signal) float64 {
	if i := slices.Index(f.Signals, uint8(s)); i >= 0 {
		return float64(f.Values[i])
	}
	return 0
}

func number(p event.Path) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, string(p))
	return h.Sum32()
}

func keptExamples(name string) (*set, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &set{}
	return s, gob.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(s)
}

func keep(name string, s *set) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := gob.NewEncoder(w).Encode(s); err != nil {
		return err
	}
	return w.Flush()
}
