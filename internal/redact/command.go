package redact

import (
	"regexp"
	"slices"
	"strings"
)

// taker is a command, or several alike, that takes a secret as an argument; rules.yaml says what each field means.
type taker struct {
	Names, Verb, Needs             string
	Glued, Spaced, Account, Cookie []string
	Operand                        int
	Settings, Variable, Looks      bool

	needs *regexp.Regexp
}

// argument is a word of a command line.
type argument struct {
	span
	text string // without quotes
}

// commands finds the secrets among the arguments of known commands that begin in [lo, hi).
func (f *finder) commands(lo, hi int) {
	for i := lo; i < hi; i++ {
		if !nameByte(f.text[i]) {
			continue
		}
		begin := i
		for i < hi && nameByte(f.text[i]) {
			i++
		}
		exe := strings.TrimSuffix(f.text[begin:i], ".exe")
		if i >= len(f.text) || !blank(f.text[i]) && f.text[i] != '\\' {
			continue
		}
		called := known().takers[exe]
		for _, family := range []string{"mysql", "mariadb"} {
			if strings.HasPrefix(exe, family) {
				called = append(called[:len(called):len(called)], known().takers[family+"*"]...)
			}
		}
		if len(called) == 0 {
			continue
		}
		args := arguments(f.text, i)
		for _, t := range called {
			t.find(f, args)
		}
	}
}

// Bounds of what is looked at of one command.
const (
	maxArguments = 64
	maxCommand   = 2 << 10 // bytes
)

// arguments are the words from a place to the end of the command: an operator of the shell, or the end of the line.
func arguments(s string, i int) (out []argument) {
	s = s[:min(len(s), i+maxCommand)]
	for len(out) < maxArguments {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\\' && i+1 < len(s) &&
			(s[i+1] == '\n' || s[i+1] == '\r')) {
			if s[i] == '\\' {
				i += 1 + btoi(s[i+1] == '\r')
			}
			i++
		}
		if i >= len(s) || strings.IndexByte("\r\n|;&()`#", s[i]) >= 0 {
			return out
		}
		a := argument{span: span{from: i}}
		var b strings.Builder
		for i < len(s) && strings.IndexByte(" \t\r\n|;&()`", s[i]) < 0 {
			if s[i] == '\\' && i+1 < len(s) && (quote(s[i+1]) || s[i+1] == ' ') {
				b.WriteString(s[i : i+2]) // as it stands there: spans are of the text
				i += 2
				continue
			}
			if s[i] != '"' && s[i] != '\'' {
				b.WriteByte(s[i])
				i++
				continue
			}
			end := closing(s[i+1:], s[i])
			if end < 0 || i > a.from && strings.IndexByte(s[i+1:i+1+end], '\n') >= 0 {
				// The quote around the whole command ends here: bash -c "mysql -pX".
				a.to, a.text = i, b.String()
				return append(out, a)
			}
			b.WriteString(s[i+1 : i+1+end])
			i += end + 2
		}
		a.to, a.text = i, b.String()
		if a.from == a.to {
			return out
		}
		out = append(out, a)
	}
	return out
}

// find adds the secrets of one call.
func (t taker) find(f *finder, args []argument) {
	has := func(is func(word string) bool) bool {
		return slices.ContainsFunc(args, func(a argument) bool { return is(a.text) })
	}
	if t.Verb != "" && !has(func(w string) bool { return w == t.Verb }) || t.needs != nil && !has(t.needs.MatchString) {
		return
	}
	var operands []argument
	for i, a := range args {
		if a.text == "" || a.text[0] != '-' || len(a.text) < 2 {
			operands = append(operands, a)
			continue
		}
		for _, o := range t.Glued {
			if len(a.text) > len(o) && strings.HasPrefix(a.text, o) && a.text[len(o)] != '-' {
				f.argument(a, len(o))
			}
		}
		name, value, joined := strings.Cut(a.text, "=")
		if joined && strings.HasPrefix(name, "--") {
			t.given(f, a, name, value, len(name)+1)
		} else if i+1 < len(args) {
			t.given(f, args[i+1], a.text, args[i+1].text, 0)
		}
	}
	if n := t.Operand; n != 0 && len(operands) >= max(n, 2) {
		if n < 0 {
			n = len(operands)
		}
		if a := operands[n-1]; !t.Looks || !plain(a.text) && strings.IndexByte(a.text, '=') < 0 {
			f.argument(a, 0)
		}
	}
	if t.Settings {
		t.setting(f, operands)
	}
	if t.Variable && len(operands) >= 2 {
		if kind, _ := announces(operands[0].text); kind >= medium {
			f.argument(operands[1], 0)
		}
	}
}

// given takes the value of an option, which stands skip bytes behind the beginning of its word.
func (t taker) given(f *finder, a argument, option, value string, skip int) {
	is := func(list []string) bool { return slices.Contains(list, option) }
	switch {
	case value == "" || value[0] == '-' && skip == 0:
	case is(t.Spaced):
		f.argument(a, skip)
	case is(t.Account):
		if i := strings.IndexAny(value, ":%,"); i > 0 {
			f.argument(a, skip+i+1)
		}
	case is(t.Cookie):
		if strings.IndexByte(value, '=') > 0 {
			f.argument(a, skip)
		}
	}
}

// setting is the value in: aws configure set NAME VALUE.
func (t taker) setting(f *finder, operands []argument) {
	for i, a := range operands {
		if (a.text == "set" || a.text == "config") && i+2 < len(operands) && operands[i+1].text != "set" {
			if kind, _ := announces(operands[i+1].text); kind != none {
				f.argument(operands[i+2], 0)
			}
		}
	}
}

// argument adds a word from its skip-th byte on, unless that is a placeholder.
func (f *finder) argument(a argument, skip int) {
	from, to := a.from, a.to
	if raw := f.text[from:to]; len(raw) == len(a.text) {
		from += skip
	} else if skip == 0 && quote(raw[0]) && raw[len(raw)-1] == raw[0] {
		from, to = from+1, to-1
	} else if i := strings.IndexAny(raw, `"'`); i >= skip {
		from += skip
	}
	if !placeholder(a.text[skip:]) {
		f.add(from, to)
	}
}
