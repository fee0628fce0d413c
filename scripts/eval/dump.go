package main

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"sync"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// dumped is the length of the lists that are dumped.
const dumped = 10

// decided is one decision of a dump. docs/evaluation.md says how the table follows from the lines.
type decided struct {
	Repo    string       `json:"repo"`
	Session string       `json:"session"`
	Seq     int          `json:"seq"`    // T2, T3, named: of the open; else of the event that the question follows
	Task    string       `json:"task"`   // T1 T2 T3 T4 T5 named shown shown_unseen
	Moment  string       `json:"moment"` // prompt; last, after; change; withheld, complete; open
	Paths   []event.Path `json:"paths"`  // the ten best of the files that count
	P       []float64    `json:"p"`      // their confidence
	Truth   []event.Path `json:"truth"`
	Shown   int          `json:"shown"` // so many of the first of Paths would be shown
}

// dump writes lines. It may be shared by several repositories at once.
type dump struct {
	mu  sync.Mutex
	out *bufio.Writer
	enc *json.Encoder
	err error
}

// newDump makes one on a writer. Flush it at the end.
func newDump(w io.Writer) *dump {
	d := &dump{out: bufio.NewWriterSize(w, 1<<16)}
	d.enc = json.NewEncoder(d.out)
	d.enc.SetEscapeHTML(false)
	return d
}

// flush writes what is buffered, and returns the first error of all writes.
func (d *dump) flush() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.out.Flush(); d.err == nil {
		d.err = err
	}
	return d.err
}

func (d *dump) write(l decided) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enc.Encode(l); d.err == nil {
		d.err = err
	}
}

// line begins a line from a list.
func (s *score) line(d *eval.Decision, task, moment string, list []rank.Scored) decided {
	l := decided{Repo: s.repo, Session: d.Session, Seq: d.Seq, Task: task, Moment: moment, Paths: []event.Path{},
		P: []float64{}, Truth: []event.Path{}}
	for _, f := range list[:min(len(list), dumped)] {
		l.Paths = append(l.Paths, f.File)
		l.P = append(l.P, math.Round(f.Score*1e4)/1e4)
	}
	return l
}
