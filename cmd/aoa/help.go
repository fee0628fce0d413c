package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// helpText describes the commands, in sections that begin with "=== " and the command's name. A
// section may end with examples.
//
//go:embed help.txt
var helpText string

// describe gives a command its description and its examples. A command that help.txt lacks is
// described by the line about it.
func describe(c *cobra.Command) {
	_, text, _ := strings.Cut(helpText, "\n=== "+c.CommandPath()+"\n")
	text, _, _ = strings.Cut(text, "\n=== ")
	text = strings.NewReplacer("{likely}", percent(event.LikelyFrom), "{possible}", percent(event.PossibleFrom),
		"{listed}", percent(leastListed), "{margin}", fmt.Sprintf("%.2f", prefetch.WarnMargin),
		"{unjudged}", fmt.Sprint(exitUnjudged), "{exceptions}", string(change.ExceptionsFile),
		"{agents}", strings.Join(hookNames(), ", ")).Replace(text)
	text, c.Example, _ = strings.Cut("\n"+strings.TrimRight(text, "\n"), "\nExamples:\n")
	c.Long = filled(cmp.Or(strings.Trim(text, "\n"), c.Long, c.Short))
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// helpWidth is the largest width of a line of help.
const helpWidth = 80

// help prints what aOa is, and the given groups of commands.
func (a *app) help(root *cobra.Command, groups []commandGroup, more string) {
	describe(root)
	fmt.Fprintln(a.out, root.Long)
	for _, g := range groups {
		fmt.Fprintln(a.out, "\n"+g.title)
		for _, c := range g.commands {
			fmt.Fprintf(a.out, "  %-11s %s\n", c.Name(), c.Short)
		}
	}
	root.InitDefaultHelpFlag()
	fmt.Fprintf(a.out, "\nFlags:\n%s\n%s\n", root.Flags().FlagUsages(), more)
}

// filled breaks the paragraphs of a text into lines that fit. A paragraph with an indented line is
// kept as it is.
func filled(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.HasPrefix(p, " ") && !strings.Contains(p, "\n ") {
			paragraphs[i] = strings.Join(wrap(strings.ReplaceAll(p, "\n", " "), helpWidth), "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// hang breaks a line of the form "name description", with at least two spaces in between, into
// lines that fit. Further lines begin below the description. Other lines are returned unchanged.
func hang(line string) string {
	rest := strings.TrimLeft(line, " ")
	name, said, ok := strings.Cut(rest, "  ")
	said = strings.TrimLeft(said, " ")
	head := line[:len(line)-len(said)]
	if !ok || width(line) <= helpWidth || width(head) > helpWidth*2/3 || strings.HasPrefix(name, "aoa ") {
		return line
	}
	return head + strings.Join(wrap(said, helpWidth-width(head)), "\n"+strings.Repeat(" ", width(head)))
}
