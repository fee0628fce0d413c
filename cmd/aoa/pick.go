package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of a picker.
const (
	pickListed  = 20  // files, without -n
	pickCommits = 200 // newest commits of a file that are searched for common ones
	pickWide    = 100 // columns from which the commits are beside the list, not below it
)

// picker is a list in the terminal from which a person takes files. What is typed selects by the name.
type picker struct {
	screen tcell.Screen
	list   []event.Suggestion
	names  []string // of list, as they are shown and searched
	about  func(event.Suggestion) []string
	known  map[int][]string // what about returned

	typed  string
	found  []int // places in list, the best match first
	at     int   // place in found
	marked map[int]bool
}

// pick lets a person take some of the files and prints them, or opens them in the editor.
func (a *app) pick(ctx context.Context, client *api.Client, list []event.Suggestion, q event.Query, how suggestHow) error {
	p := &picker{list: list, known: map[int][]string{}, marked: map[int]bool{},
		about: func(s event.Suggestion) []string { return a.commonCommits(ctx, client, s, q.Files) }}
	for _, s := range list {
		p.names = append(p.names, a.display(s.File))
	}
	if err := p.open(a.getenv("TERM")); err != nil {
		return fail(exitFailed, "aoa suggest --plain prints the names", "--pick needs a terminal: %v", err)
	}
	picked := p.run(ctx)
	p.screen.Fini()
	switch {
	case len(picked) == 0:
		return fail(exitFailed, "", "nothing was picked")
	case how.edit:
		return a.edit(ctx, picked)
	}
	a.names0(picked, how.nul)
	return nil
}

// open takes the terminal, whatever stdin and stdout are.
func (p *picker) open(terminal string) (err error) {
	if runtime.GOOS != "windows" && (terminal == "" || terminal == "dumb") {
		return errors.New("TERM names none that can show a list")
	}
	if p.screen, err = tcell.NewScreen(); err == nil {
		err = p.screen.Init()
	}
	return err
}

// run shows the list until something is picked.
func (p *picker) run(ctx context.Context) []event.Suggestion {
	p.search()
	for {
		p.draw()
		select {
		case <-ctx.Done():
			return nil
		case ev, open := <-p.screen.EventQ():
			key, is := ev.(*tcell.EventKey)
			switch {
			case !open:
				return nil
			case !is:
				p.screen.Sync() // another size
			case p.press(key):
				return p.picked(key.Key())
			}
		}
	}
}

// picked are the marked files, else the one under the cursor.
func (p *picker) picked(key tcell.Key) (out []event.Suggestion) {
	if key != tcell.KeyEnter && key != tcell.KeyCtrlJ {
		return nil
	}
	for i := range p.list {
		if p.marked[i] || len(p.marked) == 0 && len(p.found) > 0 && p.found[p.at] == i {
			out = append(out, p.list[i])
		}
	}
	return out
}

// press does what a key says, and reports whether that ends the list.
func (p *picker) press(key *tcell.EventKey) bool {
	switch key.Key() {
	case tcell.KeyEnter, tcell.KeyCtrlJ, tcell.KeyEscape, tcell.KeyCtrlC, tcell.KeyCtrlD:
		return true
	case tcell.KeyUp, tcell.KeyCtrlP:
		p.at = max(p.at-1, 0)
	case tcell.KeyDown, tcell.KeyCtrlN:
		p.at = min(p.at+1, max(len(p.found)-1, 0))
	case tcell.KeyTab:
		p.mark()
	case tcell.KeyCtrlU:
		p.typed = ""
		p.search()
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if r := []rune(p.typed); len(r) > 0 {
			p.typed = string(r[:len(r)-1])
			p.search()
		}
	case tcell.KeyRune:
		if key.Modifiers()&(tcell.ModCtrl|tcell.ModAlt|tcell.ModMeta) == 0 {
			p.typed += key.Str()
			p.search()
		}
	}
	return false
}

// mark marks the file under the cursor, or takes its mark away.
func (p *picker) mark() {
	if len(p.found) == 0 {
		return
	}
	if i := p.found[p.at]; p.marked[i] {
		delete(p.marked, i)
	} else {
		p.marked[i] = true
	}
	p.at = min(p.at+1, len(p.found)-1)
}

// search finds the names that have the typed letters in their order.
func (p *picker) search() {
	p.at, p.found = 0, p.found[:0]
	ranks := make([]int, len(p.names))
	for i, n := range p.names {
		if ranks[i] = fuzzy.RankMatchNormalizedFold(p.typed, n); p.typed == "" || ranks[i] >= 0 {
			p.found = append(p.found, i)
		}
	}
	if p.typed != "" {
		slices.SortStableFunc(p.found, func(x, y int) int { return cmp.Compare(ranks[x], ranks[y]) })
	}
}

var (
	pickPlain = tcell.StyleDefault
	pickDim   = pickPlain.Dim(true)
	pickBold  = pickPlain.Bold(true)
)

// draw shows the typed letters, the list, and what is known about the file under the cursor.
func (p *picker) draw() {
	s := p.screen
	s.Clear()
	width, height := s.Size()
	s.PutStrStyled(0, 0, "> ", pickBold)
	s.PutStr(2, 0, p.typed)
	s.ShowCursor(2+len([]rune(p.typed)), 0)
	hint := "Enter takes, Tab marks, Esc leaves"
	if at := width - len(hint) - 1; at > 4+len(p.typed) {
		s.PutStrStyled(at, 0, hint, pickDim)
	}
	wide, rows := width, max(1, height/2-1)
	if width >= pickWide {
		wide, rows = width/2, height-2
	}
	first := max(0, p.at-rows+1)
	for row, i := range p.found[first:min(len(p.found), first+rows)] {
		mark, style := "  ", pickPlain
		if first+row == p.at {
			mark, style = "▌ ", pickBold
		}
		if p.marked[i] {
			mark = mark[:len(mark)-1] + "✓"
		}
		s.PutStrStyled(0, 2+row, mark, pickBold)
		s.PutStrStyled(3, 2+row, fmt.Sprintf("%3.0f%%", p.list[i].Score*100), pickDim)
		s.PutStrStyled(9, 2+row, shorten(p.names[i], max(leastCell, wide-10)), style)
	}
	left, top := 0, 3+rows
	if width >= pickWide {
		left, top = wide+1, 2
	}
	details, space := p.details(), max(leastCell, width-left-1)
	for _, line := range wrap(details[0], space) {
		s.PutStr(left, top, line)
		top++
	}
	for _, line := range details[1:] {
		if top < height {
			s.PutStrStyled(left, top, shorten(line, space), pickDim)
		}
		top++
	}
	s.Show()
}

// details is what is known about the file under the cursor.
func (p *picker) details() []string {
	if len(p.found) == 0 {
		return []string{"no file has these letters in its name"}
	}
	i := p.found[p.at]
	if p.known[i] == nil {
		p.known[i] = p.about(p.list[i])
	}
	return p.known[i]
}

// commonCommits are the reason for a file and its last commits with the files of the question; without such files, its last commits.
func (a *app) commonCommits(ctx context.Context, client *api.Client, s event.Suggestion, files []event.Path) []string {
	out := []string{cmp.Or(a.strongest(s, 0), "no reason stands out"), ""}
	ans, err := api.Call(ctx, client, api.Log, api.LogRequest{File: s.File, Kinds: []event.Kind{event.KindCommit}, Limit: pickCommits})
	if err != nil {
		return append(out, harmless(err.Error()))
	}
	for _, e := range slices.Backward(ans.Events) {
		if len(files) == 0 || slices.ContainsFunc(e.Paths, func(p event.Path) bool { return slices.Contains(files, p) }) {
			out = append(out, e.Time.Local().Format(time.DateOnly)+"  "+harmless(e.Text))
		}
	}
	if len(out) == 2 {
		out = append(out, "no common commit")
	}
	return out
}

// edit opens files in VISUAL, else EDITOR, else vi. It takes the terminal where stdin is something else.
func (a *app) edit(ctx context.Context, list []event.Suggestion) error {
	words := strings.Fields(cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR"), "vi"))
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	for _, s := range list {
		name := a.near(s.File)
		if strings.HasPrefix(name, "-") {
			name = "./" + name
		}
		cmd.Args = append(cmd.Args, name)
	}
	cmd.Dir, cmd.Env = a.dir, a.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out, a.err
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		defer tty.Close()
		cmd.Stdin = tty
	}
	if err := cmd.Run(); err != nil {
		return fail(exitFailed, "set EDITOR", "%s: %v", words[0], err)
	}
	return nil
}
