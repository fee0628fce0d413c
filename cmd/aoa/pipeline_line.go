package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progressLine says how far a pipeline is: on a terminal one line that is drawn again, elsewhere a line per stage.
type progressLine struct {
	w    io.Writer
	mode string
	all  int
	tty  bool
	mum  bool
	now  func() time.Time

	mu      sync.Mutex
	began   time.Time
	running []string
	over    int
	tokens  int64
	turn    int
	stop    chan struct{}
	stopped sync.WaitGroup
}

const redraw = 120 * time.Millisecond

func newProgressLine(a *app, mode string, all int, mum bool) *progressLine {
	l := &progressLine{w: a.err, mode: mode, all: all, mum: mum, now: a.now, began: a.now(), stop: make(chan struct{})}
	if f, ok := a.err.(*os.File); ok && !mum {
		l.tty = term.IsTerminal(int(f.Fd()))
	}
	if l.tty {
		l.stopped.Go(l.spin)
	}
	return l
}

func (l *progressLine) spin() {
	for again := time.NewTicker(redraw); ; {
		select {
		case <-again.C:
			l.mu.Lock()
			l.draw()
			l.mu.Unlock()
		case <-l.stop:
			again.Stop()
			return
		}
	}
}

// draw writes the line anew; mu is held.
func (l *progressLine) draw() {
	l.turn++
	wheel := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	fmt.Fprintf(l.w, "\r\x1b[2K%s %c %d/%d | %s | %s | %s tokens", l.mode, wheel[l.turn%len(wheel)], l.over, l.all,
		clip(strings.Join(l.running, ", "), 40), length(l.now().Sub(l.began).Seconds()), count(l.tokens))
}

func (l *progressLine) begin(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = append(l.running, name)
}

func (l *progressLine) done(r stageReport, tokens int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = slices.DeleteFunc(l.running, func(n string) bool { return n == r.Stage })
	l.over++
	l.tokens = tokens
	if l.mum {
		return
	}
	said := r.State + " " + took(r.Duration)
	switch r.State {
	case "unchanged":
		said = "unchanged, " + took(r.Saved) + " saved"
	case "resumed":
		said = "done by the interrupted run"
	case "failed":
		said = "failed"
	}
	l.print(fmt.Sprintf("%d/%d | %s | %s | %s tokens", l.over, l.all, r.Stage, said, count(tokens)))
}

// say prints a last line.
func (l *progressLine) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.mum {
		l.print(text)
	}
}

// print writes a line that stays; mu is held.
func (l *progressLine) print(text string) {
	start := ""
	if l.tty {
		start = "\r\x1b[2K"
	}
	fmt.Fprintf(l.w, "%s%s %s\n", start, l.mode, harmless(text))
}

// end stops drawing.
func (l *progressLine) end() {
	close(l.stop)
	l.stopped.Wait()
	if l.tty {
		fmt.Fprint(l.w, "\r\x1b[2K")
	}
}
