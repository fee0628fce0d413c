package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/blame"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

func (a *app) why() *cobra.Command {
	var r api.WhyRequest
	var with []string
	c := newCommand("why FILE[:LINE[-LINE]]", "tell why a line is there, or why a file is suggested", cobra.ExactArgs(1), nil)
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		name, from, to, ok, err := a.typedLines(args[0])
		if err != nil {
			return err
		}
		if ok {
			if err := without(c, args[0], "with", "prompt", "session", "explain"); err != nil {
				return err
			}
			return a.whyLine(c.Context(), name, from, to)
		}
		if r.File, err = a.file(c.Context(), args[0], false); err != nil {
			return err
		}
		found, err := a.names(c.Context(), with...)
		if err != nil {
			return err
		}
		if r.Query.Files, err = a.files(found, false); err != nil {
			return err
		}
		bare := len(with) == 0 && r.Query.Prompt == "" && r.Query.Session == ""
		if bare { // the question of aoa suggest without arguments
			_, repo, err := a.client(c.Context())
			if err != nil {
				return err
			}
			r.Query.Files = slices.DeleteFunc(a.changed(c.Context(), repo), func(p event.Path) bool { return p == r.File })
		}
		ans, err := call(c.Context(), a, api.Why, r)
		if err != nil {
			return err
		}
		a.early(ans.Reading)
		return a.answer(struct {
			api.WhyAnswer
			Root event.Root `json:"root"`
		}{ans, a.root}, func() { a.explain(ans, r.Query, bare) })
	}
	f := c.Flags()
	f.StringArrayVarP(&with, "with", "w", nil, "a `FILE` that aoa suggest got; give the flag for each")
	f.BoolVar(&r.Query.Explain, "explain", false, "print the arithmetic, too")
	f.VarP((*given)(&r.Query.Prompt), "prompt", "p", "the task in words")
	a.sessionFlag(c, &r.Query.Session, "rank for this agent session")
	return c
}

// explain prints the answer. bare means that the command line did not say what the question is
// about.
func (a *app) explain(w api.WhyAnswer, q event.Query, bare bool) {
	if !w.Known {
		a.talk("%s is never suggested: git or .aoaignore ignores it, or its name is one of generated files",
			a.display(w.File))
		return
	}
	place := "not among the candidates"
	if w.Rank > 0 {
		place = fmt.Sprintf("rank %d", w.Rank)
	}
	switch {
	case bare && len(q.Files) > 0:
		place += " for the other changes of the working tree"
	case bare:
		place += " for what recent work needs next"
	}
	chance := event.Chance(w.Score)
	if q.Explain {
		chance += fmt.Sprintf(", %.0f%%", w.Score*100)
	}
	fmt.Fprintf(a.out, "%s  %s  (%s)\n", a.bold(a.display(w.File)), chance, place)
	columns := cmp.Or(a.width, math.MaxInt)
	for _, l := range wrap(harmless(a.because(w.Suggestion)), columns-gap) {
		fmt.Fprintln(a.out, "  "+l)
	}
	for _, x := range w.Earlier {
		for _, l := range wrap("as in "+x.String(), columns-gap) {
			fmt.Fprintln(a.out, "  "+l)
		}
	}
	if q.Explain {
		a.arithmetic(w.Suggestion)
	}
}

// A reason against a file is mentioned only if it lowers the log odds by more than leastAgainst.
const leastAgainst = 0.2

// leastLarge is the least value of the signal size for which a file is called large: about 1,600
// words. The signal is above 0 for every file.
const leastLarge = 0.8

// because returns a sentence with the strongest reason for a file and the strongest one against it.
func (a *app) because(s event.Suggestion) string {
	pro, con := a.reasonText(s.Reason()), ""
	if t := s.Together; t != nil {
		pro = fmt.Sprintf("changed with %s in %s", a.display(t.With), t)
	}
	for _, r := range s.Reasons { // the strongest first
		if text := against[r.Signal]; text != "" && r.Value*r.Weight < -leastAgainst && con == "" &&
			(r.Signal != "size" || r.Value >= leastLarge) {
			con = "; less likely because " + text
		}
	}
	if pro == "" {
		pro = "no commit, name or content connects it with the question"
	}
	return pro + con
}

// against has words for the signals that lower a file's score.
var against = map[string]string{
	"common": "most commits of that file do not change it", "lately": "fewer of the last commits changed both",
	"small": "small commits seldom change both", "others": "the other files of the change make it less likely",
	"alike": "similar commits did not change it", "fresh": "it did not change lately",
	"size": "it is a large file",
}

// arithmetic prints the sum and the calibration, so that a reader can compute the score again.
func (a *app) arithmetic(s event.Suggestion) {
	var rows []string
	sum := 0.0
	for _, r := range s.Reasons {
		sum += r.Value * r.Weight
		rows = append(rows, fmt.Sprintf("  %s\t%.6f\t%+.4f\t%+.6f\t%s", r.Signal, r.Value, r.Weight, r.Value*r.Weight,
			a.reasonText(r)))
	}
	a.table("  signal\tvalue\tweight\tvalue·weight\t", rows...)
	fmt.Fprintf(a.out, "  sum %+.6f", sum)
	if math.Abs(sum-s.Logit) > 1e-9 {
		fmt.Fprintf(a.out, " of %+.6f (weaker reasons left out)", s.Logit)
	}
	fmt.Fprintf(a.out, "; score = 1/(1+e^-(%.4f·%.6f%+.4f)) = %.6f\n", s.Scale[0], s.Logit, s.Scale[1], s.Score)
}

// typedLines splits FILE:LINE. ok is false for a name without lines, and for the name of an
// existing file that contains a colon. Anything else after the name and a colon is an error,
// because an answer about the whole file would answer another question.
func (a *app) typedLines(arg string) (name string, from, to int, ok bool, err error) {
	there := func(name string) bool {
		_, err := os.Lstat(a.abs(name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	if there(arg) {
		return "", 0, 0, false, nil
	}
	// the name of a file may end like a line number
	if at := strings.LastIndexByte(arg, ':'); at > 0 && there(arg[:at]) {
		line, err := strconv.Atoi(arg[at+1:])
		if err == nil && line >= 0 && line <= math.MaxInt32 {
			return arg[:at], line, 0, true, nil
		}
	}
	if name, from, to, ok = blame.Typed(arg); ok {
		return name, from, to, true, nil
	}
	file := index.WithoutLine(arg)
	if behind, found := strings.CutPrefix(arg, file); found && len(behind) > 1 {
		return "", 0, 0, false, usage("%s is not a line: lines are written %s:12 or %[2]s:10-20",
			event.Path(behind[1:]).Display(), event.Path(file).Display())
	}
	return "", 0, 0, false, nil
}

// whyLine prints why lines of a file are there.
func (a *app) whyLine(ctx context.Context, name string, from, to int) error {
	file, err := a.file(ctx, name, false)
	if err != nil {
		return err
	}
	ans, err := call(ctx, a, api.WhyLine, api.WhyLineRequest{File: file, From: from, To: to})
	if err != nil {
		return err
	}
	return a.answer(struct {
		api.WhyLineAnswer
		Root event.Root `json:"root"`
	}{ans, a.root}, func() {
		for i, o := range ans.Lines {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprintln(a.out, a.bold(o.Place(a.display(file)))+"  "+harmless(strings.TrimSpace(o.Text)))
			for _, line := range o.Format(file, a.display, stamp) {
				fmt.Fprintln(a.out, "  "+line)
			}
		}
	})
}
