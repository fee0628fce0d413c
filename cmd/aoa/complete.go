package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/config"
)

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

// knownWords refuses words that are not among the known ones, and names the one that may be meant.
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
