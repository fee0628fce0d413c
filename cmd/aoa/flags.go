package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/config"
)

// number is the value of a flag that counts something. It is at least 1.
type number int

func (n *number) String() string { return strconv.Itoa(int(*n)) }

func (n *number) Type() string { return "int" }

func (n *number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 {
		return errors.New("use 1 or more")
	}
	*n = number(v)
	return nil
}

// duration is the value of a flag that is a time, in the units of the settings.
type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }

func (d *duration) Type() string { return "duration" }

func (d *duration) Set(s string) error {
	v, err := config.ParseDuration(s)
	if err != nil || v < 0 {
		return errors.New("write 90s, 30m, 2h or 7d")
	}
	*d = duration(v)
	return nil
}

// jsonText is the value of a flag that takes JSON. An empty text is none, so that a script may pass an
// empty variable.
type jsonText json.RawMessage

func (j *jsonText) String() string { return string(*j) }

func (j *jsonText) Type() string { return "string" }

func (j *jsonText) Set(s string) error {
	if s != "" && !json.Valid([]byte(s)) {
		return errors.New(`write JSON, for example '{"tool":"rg"}'`)
	}
	*j = jsonText(s)
	return nil
}

// given is the value of a flag that must not be empty, because an empty text would silently turn
// the question into another one.
type given string

func (g *given) String() string { return string(*g) }

func (g *given) Type() string { return "string" }

func (g *given) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("it is empty")
	}
	*g = given(s)
	return nil
}

// without returns a usage error if one of the flags others is set, because one makes it useless.
// one is a flag, or words for an argument.
func without(c *cobra.Command, one string, others ...string) error {
	for _, o := range others {
		if c.Flags().Changed(o) {
			return usage("%s makes --%s useless", one, o)
		}
	}
	return nil
}

// oneOrAll returns a command that deletes what its argument names, or everything with --all.
func oneOrAll(use, short, one, all string, run func(ctx context.Context, name string, all bool) error) *cobra.Command {
	var every bool
	c := newCommand(use, short, cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			if name := strings.Join(args, ""); every == (name == "") {
				return run(ctx, name, every)
			}
			return usage("name %s, or --all for %s", one, all)
		})
	c.Flags().BoolVar(&every, "all", false, all)
	return c
}

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

// completeFlag sets the words that shells offer as the values of a flag.
func completeFlag(c *cobra.Command, flag string, known []string) {
	fn := cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
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
