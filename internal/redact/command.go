package redact

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// taker is a command, or several similar ones, that takes a secret as an argument. rules.yaml
// explains each field.
type taker struct {
	Names, Verb, Needs, Spare      string
	Glued, Spaced, Account, Cookie []string
	Operand                        int
}

// Fragments of the command patterns. An argument that starts with "[" is never taken for a secret:
// it may be the mark of one that was already redacted.
const (
	// the arguments before, also on continued lines
	between = "(?:[^\\n|;&()`#]|\\\\\\r?\\n)*?[ \\t\\n]"
	blanks  = `(?:[ \t]|\\\r?\n)+`                                             // between two arguments
	quoted  = `"([^"\n\[-][^"\n]*)"|'([^'\n\[-][^'\n]*)'`                      // a secret in quotes
	bare    = "([^\\s|;&()`#\"'\\[-][^\\s|;&()`\"']*)"                         // a secret without quotes
	word    = "(?:\"[^\"\\n]*\"|'[^'\\n]*'|[^\\s|;&()`\"'#-][^\\s|;&()`\"']*)" // an argument that is not an option
	options = `(?:-[^\s|;&]*` + blanks + `)*`
)

// rules returns the rules that match calls of the command with a secret.
func (t taker) rules() (out []rule) {
	var keywords, names []string
	for n := range strings.FieldsSeq(t.Names) {
		rest, family := strings.CutSuffix(n, "*")
		pattern := regexp.QuoteMeta(rest)
		if family {
			pattern += `[\w-]*`
		} else {
			rest += " "
		}
		keywords, names = append(keywords, event.Lower(rest)), append(names, pattern)
	}
	add := func(form string, args ...any) {
		called := `(?:^|[^\w.-])(?:` + strings.Join(names, "|") + `)(?:\.exe)?`
		out = append(out, rule{Keywords: keywords, Across: true, Spare: t.Spare, Regex: called + fmt.Sprintf(form, args...)})
	}
	verb := ""
	if t.Verb != "" {
		verb = between + t.Verb
	}
	anyOf := func(list []string) string { return "(?:" + strings.Join(list, "|") + ")" }
	if len(t.Glued) > 0 {
		add(`%s%s%s(?:%s|%s)`, verb, between, anyOf(t.Glued), quoted, bare)
	}
	if len(t.Spaced) > 0 {
		add(`%s%s%s(?:%s|=)(?:%s|%s)`, verb, between, anyOf(t.Spaced), blanks, quoted, bare)
	}
	if len(t.Account) > 0 {
		add(`%s%s%s(?:%s|=)["']?[^\s:%%,"']+[:%%,](?:%s|%s)`, verb, between, anyOf(t.Account), blanks, quoted, bare)
	}
	if len(t.Cookie) > 0 {
		add(`%s%s%s(?:%s|=)["']?([\w.-]+=[^\s"']+)`, verb, between, anyOf(t.Cookie), blanks)
	}
	if t.Operand > 0 {
		before := strings.Repeat(word+blanks+options, t.Operand-1)
		add(`%s%s%s%s%s%s(?:%s|%s)`, verb, blanks, options, t.Needs, options, before, quoted, bare)
	}
	return out
}
