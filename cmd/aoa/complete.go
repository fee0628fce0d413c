package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/config"
)

// bashWords replaces the part of cobra's bash script that needs a function of the package
// bash-completion. It splits the line at spaces, so that "=" and ":" stay within a word.
const bashWords = `    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
    cword=$((${#words[@]} - 1)) cur=${words[cword]} prev=${words[cword > 0 ? cword - 1 : 0]}
`

// completeBash replaces cobra's own bash completion with bashCompletion.
func (a *app) completeBash(root, completion *cobra.Command) {
	bash, _, err := completion.Find([]string{"bash"})
	if err != nil {
		panic(err) // cobra no longer has it: every test fails
	}
	bash.Long = "Prints the completion of bash. It needs no other package. To have it in every new shell, put this line " +
		"into ~/.bashrc:\n\n  source <(aoa completion bash)"
	bash.RunE = func(*cobra.Command, []string) error {
		script, err := bashCompletion(root)
		fmt.Fprint(a.out, script)
		return err
	}
}

// bashCompletion returns the completion script for bash.
func bashCompletion(root *cobra.Command) (string, error) {
	var b strings.Builder
	err := root.GenBashCompletionV2(&b, true)
	const needs = "    _get_comp_words_by_ref \"$@\" cur prev words cword\n"
	if err == nil && !strings.Contains(b.String(), needs) {
		err = errors.New("cobra's completion of bash has changed")
	}
	return strings.Replace(b.String(), needs, bashWords, 1), err
}

// words completes a list of words that are separated by commas.
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

// eachWord completes words that are separate arguments, each once.
func eachWord(known ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return slices.DeleteFunc(slices.Clone(known), func(w string) bool {
			return slices.Contains(args, w) || !strings.HasPrefix(w, typed)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlag sets how shells complete the values of a flag.
func completeFlag(c *cobra.Command, flag string, fn cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err) // the flag does not exist: every test fails
	}
}

// knownWords returns an error if a word is not among the known ones. The error suggests the most
// similar known word.
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
