package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/config"
)

// bashWords replaces the part of cobra's script for bash that needs a function of the package
// bash-completion. It splits the line at spaces, so that a word keeps its "=" and ":".
const bashWords = `    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
    cword=$((${#words[@]} - 1)) cur=${words[cword]} prev=${words[cword > 0 ? cword - 1 : 0]}
`

// completeBash puts bashCompletion in the place of cobra's own below the command completion.
func (a *app) completeBash(root, completion *cobra.Command) {
	bash, _, err := completion.Find([]string{"bash"})
	if err != nil {
		panic(err) // cobra has it no more: every test fails
	}
	bash.Long = "Prints the completion of bash. It needs no other package. To have it in every new shell, put this line " +
		"into ~/.bashrc:\n\n  source <(aoa completion bash)"
	bash.RunE = func(*cobra.Command, []string) error {
		script, err := bashCompletion(root)
		fmt.Fprint(a.out, script)
		return err
	}
}

// bashCompletion is the completion of bash.
func bashCompletion(root *cobra.Command) (string, error) {
	var b strings.Builder
	err := root.GenBashCompletionV2(&b, true)
	const needs = "    _get_comp_words_by_ref \"$@\" cur prev words cword\n"
	if err == nil && !strings.Contains(b.String(), needs) {
		err = errors.New("cobra's completion of bash has changed")
	}
	return strings.Replace(b.String(), needs, bashWords, 1), err
}

// words completes words with commas between them.
func words(known ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []string
		for _, w := range known {
			if strings.HasPrefix(before+w, typed) && !slices.Contains(strings.Split(before, ","), w) {
				out = append(out, before+w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// eachWord completes words that are arguments of their own, each once.
func eachWord(known ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return slices.DeleteFunc(slices.Clone(known), func(w string) bool {
			return slices.Contains(args, w) || !strings.HasPrefix(w, typed)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlag makes a shell complete the values of a flag.
func completeFlag(c *cobra.Command, flag string, fn cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err) // no such flag: every test fails
	}
}

// knownWords refuses words that are not among the known ones, and names the most similar known one.
func knownWords(what string, typed, known []string) error {
	for _, t := range typed {
		if slices.Contains(known, t) {
			continue
		}
		if near := config.Nearest(t, known); near != "" {
			return usage("no %s %q; did you mean %s?", what, t, near)
		}
		return usage("no %s %q; there are %s", what, t, strings.Join(known, ", "))
	}
	return nil
}
