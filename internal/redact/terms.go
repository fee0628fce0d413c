package redact

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Terms returns the words of a text that may be stored unsealed: index.Terms of the text without
// its secrets, and without anything that looks like a key, a hash or another value, because a
// secret that no rule knows looks like that, too.
func Terms(text string, max int) []string {
	return index.Terms(withoutValues(Text(text), false), max)
}

// CommandTerms is like Terms, for a command line. A value after "=" gives no terms, because it may
// be anything.
func CommandTerms(text string, max int) []string {
	return index.Terms(withoutValues(Text(text), true), max)
}

// withoutValues replaces marks, and everything that looks like a value, by spaces; with assigned
// also values after "=".
func withoutValues(s string, assigned bool) string {
	s = strings.ReplaceAll(s, Mark, " ")
	var out []byte // a copy of s once something is removed
	drop := func(from, to int) {
		if out == nil {
			out = []byte(s)
		}
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for i := 0; i < len(s); i++ {
		if assigned && s[i] == '=' && i > 0 && nameByte(s[i-1]) {
			end := i + 1 + assignedTo(s[i+1:])
			drop(i, end)
			i = end - 1
			continue
		}
		if !tokenByte(s[i]) {
			continue
		}
		begin := i
		for i < len(s) && tokenByte(s[i]) && !(assigned && s[i] == '=' && i > begin) {
			i++
		}
		dropValues(s[begin:i], begin, drop)
		i--
	}
	if out == nil {
		return s
	}
	return string(out)
}

// assignedTo returns where the value after "=" ends.
func assignedTo(s string) int {
	if s == "" || s[0] == '=' {
		return 0
	}
	if quote(s[0]) {
		if end := closing(s[1:], s[0]); end >= 0 {
			return end + 2
		}
	}
	if i := strings.IndexAny(s, " \t\r\n\"'`;|&()"); i >= 0 {
		return i
	}
	return len(s)
}

func tokenByte(c byte) bool {
	return alnum(c) || c == '_' || c == '+' || c == '/' || c == '=' || c == '-' || c == '.' || c == '~' || c == '%'
}

// dropValues drops the parts of a token that look like values. It drops the whole token if it looks
// like a value as a whole, or if such parts are most of it.
func dropValues(token string, at int, drop func(from, to int)) {
	if random(token) {
		drop(at, at+len(token))
		return
	}
	all, values := 0, 0
	var parts []span
	for i := 0; i < len(token); i++ {
		if !alnum(token[i]) {
			continue
		}
		begin := i
		for i < len(token) && alnum(token[i]) {
			i++
		}
		all += i - begin
		if random(token[begin:i]) {
			values += i - begin
			parts = append(parts, span{begin, i})
		}
	}
	if 2*values > all {
		drop(at, at+len(token))
		return
	}
	for _, p := range parts {
		drop(at+p.from, at+p.to)
	}
}

// Limits for an agent's message: how much of it is read, so that a long one takes no time, and how
// much is kept.
const (
	saidRead  = 16 << 10
	saidBytes = 600 // An agent's proposals and questions are at the end of its message.
)

// Said returns what is kept of the last message that an agent wrote in a turn: words and
// identifiers from its end, without private spans, secrets and values.
func Said(message string) event.Stop {
	message = withoutValues(Text(tail(Private(message), saidRead)), false)
	message = tail(message, saidBytes)
	return event.Stop{Terms: index.Terms(message, event.MaxSaid), Idents: index.Identifiers(message, event.MaxIdents)}
}

// tail returns the end of a text, at most n bytes, beginning with a whole character.
func tail(s string, n int) string { return strings.ToValidUTF8(s[max(0, len(s)-n):], "") }

// Identify adds the identifiers that the text of a prompt or a call names, unless it already has
// some. They come from the redacted text; those of a command do not include words that it assigns.
func Identify(b event.Body) event.Body {
	switch b := b.(type) {
	case event.Prompt:
		if b.Idents == nil {
			b.Idents = index.Identifiers(withoutValues(Text(b.Text), false), event.MaxIdents)
		}
		return b
	case event.Call:
		if b.Idents == nil && b.Text != "" {
			b.Idents = index.Identifiers(withoutValues(Text(b.Text), b.Kind() == event.KindRun), event.MaxCallIdents)
		}
		return b
	}
	return b
}
