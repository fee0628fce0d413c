package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Mark takes the place of a secret.
const Mark = "[redacted]"

// maxPasses is the largest number of passes over one text. Ordinary texts take one, texts with
// secrets two.
const maxPasses = 16

// Text removes what must never be stored. Spans marked <private>…</private> are dropped (an
// unclosed one extends to the end). Private keys, tokens of known services, passwords in addresses
// and headers, values assigned to names that announce a secret, and secret arguments of commands
// are replaced by Mark. Text(Text(s)) = Text(s).
func Text(s string) string {
	s = Private(s)
	// Each pass leaves fewer bytes outside of marks than before, so this ends.
	for range maxPasses {
		f := finder{text: s}
		f.run()
		if s = f.replaced(); len(f.found) == 0 {
			break
		}
	}
	return s
}

// finder collects the secrets of one text.
type finder struct {
	text  string
	found []span
}

// span is the part [from, to) of the text.
type span struct{ from, to int }

// run searches the text line by line, and then as a whole for secrets that extend over several
// lines.
func (f *finder) run() {
	all := known().rules
	hits, across, found := make([]bool, len(all)), make([]bool, len(all)), []int(nil)
	for lo := 0; lo < len(f.text); {
		hi := len(f.text)
		if n := strings.IndexByte(f.text[lo:], '\n'); n >= 0 {
			hi = lo + n
		}
		found = triggers().scan(f.text[lo:hi], hits, found[:0])
		for _, i := range found {
			if all[i].Across {
				across[i] = true
			} else {
				f.apply(&all[i], lo, hi)
			}
		}
		lo = hi + 1
	}
	for i, hit := range across {
		if hit {
			f.apply(&all[i], 0, len(f.text))
		}
	}
}

func (f *finder) apply(r *rule, lo, hi int) {
	switch r.Find {
	case "assignments":
		f.assignments(lo, hi)
	case "kubernetes":
		f.kubernetes(lo, hi)
	default:
		f.match(r, lo, hi)
	}
}

// match finds a rule's secrets in [lo, hi): the first group that matched, else the whole match.
func (f *finder) match(r *rule, lo, hi int) {
	for _, m := range r.regexp().FindAllStringSubmatchIndex(f.text[lo:hi], -1) {
		from, to := m[0], m[1]
		for g := 2; g < len(m); g += 2 {
			if r.Group == 0 && m[g] < m[g+1] || r.Group == g/2 {
				from, to = m[g], m[g+1]
				break
			}
		}
		if from < to && !r.spares(f.text[lo+from:lo+to]) {
			f.add(lo+from, lo+to)
		}
	}
}

// add records a secret. If it overlaps a mark it is extended over the whole mark, so that no half
// of a mark remains.
func (f *finder) add(from, to int) {
	n := len(Mark)
	if i := strings.Index(f.text[max(0, from-n+1):min(len(f.text), from+n-1)], Mark); i >= 0 {
		from = min(from, max(0, from-n+1)+i)
	}
	if i := strings.LastIndex(f.text[max(0, to-n+1):min(len(f.text), to+n-1)], Mark); i >= 0 {
		to = max(to, max(0, to-n+1)+i+n)
	}
	if strings.TrimSpace(strings.ReplaceAll(f.text[from:to], Mark, "")) != "" {
		f.found = append(f.found, span{from, to})
	}
}

// replaced returns the text with a mark for each secret. Secrets that overlap or touch become one.
func (f *finder) replaced() string {
	if len(f.found) == 0 {
		return f.text
	}
	slices.SortFunc(f.found, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var b strings.Builder
	end := 0
	for i, s := range f.found {
		if i == 0 || s.from > end {
			b.WriteString(f.text[end:s.from])
			b.WriteString(Mark)
		}
		end = max(end, s.to)
	}
	b.WriteString(f.text[end:])
	return b.String()
}
