package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

func (a *app) why() *cobra.Command {
	var r api.WhyRequest
	var with []string
	c := &cobra.Command{
		Use:   "why FILE",
		Short: "how the score of a file is computed",
		Long: `Prints every signal of the file with its value and weight, so that you can compute the score by
hand.`,
		Example: `  aoa why docs/api.md --with internal/api/wire.go
  aoa why docs/api.md --prompt "document the wire format"`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
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
			ans, err := call(c.Context(), a, api.Why, r)
			if err != nil {
				return err
			}
			a.early(ans.Reading)
			return a.answer(struct {
				api.WhyAnswer
				Root event.Root `json:"root"`
			}{ans, a.root}, func() { a.explain(ans) })
		},
		ValidArgsFunction: a.completeFile,
	}
	f := c.Flags()
	f.StringSliceVarP(&with, "with", "w", nil, "the files that aoa suggest got as FILE…")
	completeFlag(c, "with", a.completeFile)
	f.StringVarP(&r.Query.Prompt, "prompt", "p", "", "the task in words")
	a.sessionFlag(c, &r.Query.Session, "rank for this agent session")
	return c
}

func (a *app) explain(w api.WhyAnswer) {
	place := "not among the candidates"
	if w.Rank > 0 {
		place = fmt.Sprintf("rank %d", w.Rank)
	}
	fmt.Fprintf(a.out, "%s  %.4f  (%s)\n", a.bold(a.display(w.File)), w.Score, place)
	if !w.Known {
		a.talk("%s is not tracked by git or is ignored: it is never suggested", a.display(w.File))
	}
	a.arithmetic(w.Suggestion)
}

// arithmetic prints the sum and the calibration such that the score can be computed again.
func (a *app) arithmetic(s event.Suggestion) {
	rows := []string{"  signal\tvalue\tweight\tvalue·weight\t"}
	sum := 0.0
	for _, r := range s.Reasons {
		sum += r.Value * r.Weight
		rows = append(rows, fmt.Sprintf("  %s\t%.6f\t%+.4f\t%+.6f\t%s", r.Signal, r.Value, r.Weight, r.Value*r.Weight,
			a.reasonText(r)))
	}
	a.table(rows...)
	fmt.Fprintf(a.out, "  sum %+.6f", sum)
	if math.Abs(sum-s.Logit) > 1e-9 {
		fmt.Fprintf(a.out, " of %+.6f (weaker reasons left out)", s.Logit)
	}
	fmt.Fprintf(a.out, "; score = 1/(1+e^-(%.4f·%.6f%+.4f)) = %.6f\n", s.Scale[0], s.Logit, s.Scale[1], s.Score)
}
