package session

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// gap marks sentences that were left out.
const gap = "[…]"

// extract is a prompt in at most so many tokens: as it is if it fits, else its most informative sentences, whole and
// in their order, with a gap where others were. The first sentence weighs more, because people begin with what they
// want. If no sentence fits, it is the subject of the prompt in its own words. It is plain text, never half a
// sentence.
func extract(text string, tokens int) string {
	if len(text) <= 16*tokens { // a longer text does not fit, spaces aside
		if s := plain(text); index.Tokens(s) <= tokens {
			return s
		}
	}
	all := sentences(text)
	if best := choose(all, tokens); best != "" {
		return best
	}
	for _, cut := range []*strings.Replacer{clauseMarks, phraseMarks} {
		var parts []string
		for _, s := range all[:min(len(all), maxSentences/4)] {
			parts = append(parts, clauses(s, cut)...)
		}
		if best := choose(parts, tokens-index.Tokens(gap)); best != "" {
			return gapped(best)
		}
	}
	return about(text, tokens)
}

// choose takes the most informative sentences that fit, in their order.
func choose(all []string, tokens int) string {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	worth := worths(all)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	taken := make([]bool, len(all))
	best := ""
	for _, i := range order {
		taken[i] = true
		if s := join(all, taken); index.Tokens(s) <= tokens {
			best = s
		} else {
			taken[i] = false
		}
	}
	return best
}

// gapped adds a gap to a part of a sentence.
func gapped(s string) string {
	if strings.HasSuffix(s, gap) {
		return s
	}
	return s + " " + gap
}

// clauses are the parts of a sentence that have a meaning of their own.
func clauses(s string, marks *strings.Replacer) []string {
	cut := strings.FieldsFunc(marks.Replace(s), func(r rune) bool { return r == '\x00' })
	var out []string
	for _, c := range cut {
		if c = strings.TrimSpace(c); len(index.Terms(c, 2)) > 1 {
			out = append(out, c)
		}
	}
	return out
}

// Where a sentence may be divided: first between clauses, then before the words that begin one.
var (
	clauseMarks = marks("but, because, so that, and then", ", ", " - ", " – ", " — ", ": ", "... ", "… ", " (", ") ")
	phraseMarks = marks("and, if, when, since, which, while, where, then, so, or, but, because, that", ",", ": ", " - ",
		" (")
)

// marks puts a NUL before words and in the place of separators.
func marks(words string, separators ...string) *strings.Replacer {
	var pairs []string
	for w := range strings.SplitSeq(words, ", ") {
		pairs = append(pairs, " "+w+" ", "\x00"+w+" ")
	}
	for _, s := range separators {
		pairs = append(pairs, s, "\x00")
	}
	return strings.NewReplacer(pairs...)
}

// about names the subject of a text that has no clause short enough, in its own words.
func about(text string, tokens int) string {
	var words []string
	seen := map[string]bool{}
	for w := range index.Words(plain(text[:min(len(text), event.MaxText)])) {
		if t := index.Terms(w, 1); len(t) > 0 && !seen[t[0]] && len(words) < 8 {
			seen[t[0]] = true
			words = append(words, w)
		}
	}
	for n := len(words); n > 0; n-- {
		if s := "about " + strings.Join(words[:n], ", "); index.Tokens(s) <= tokens {
			return s
		}
	}
	return ""
}

// worths rates sentences: the sum of ln(1 + sentences ÷ sentences with the term) over its terms, divided by √(bytes +
// 20).
func worths(all []string) []float64 {
	seen := map[string]int{}
	terms := make([][]string, len(all))
	for i, s := range all {
		terms[i] = index.Terms(s, event.MaxTerms)
		for _, w := range terms[i] {
			seen[w]++
		}
	}
	out := make([]float64, len(all))
	for i, s := range all {
		for _, w := range terms[i] {
			out[i] += math.Log(1 + float64(len(all))/float64(seen[w]))
		}
		out[i] /= math.Sqrt(float64(len(s) + 20))
		if i == 0 {
			out[i] = 2*out[i] + .5
		}
		if strings.HasSuffix(s, "?") {
			out[i] *= 1.2 // questions ask for something
		}
	}
	return out
}

func join(all []string, taken []bool) string {
	var b strings.Builder
	open := false
	for i, s := range all {
		if !taken[i] {
			if !open && b.Len() > 0 {
				b.WriteString(" " + gap)
			}
			open = true
			continue
		}
		if open && b.Len() == 0 {
			b.WriteString(gap)
		}
		open = false
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// maxSentences bounds the work on one text.
const maxSentences = 200

// sentences are the sentences and lines of a text, plain. Fenced code is left out.
func sentences(text string) []string {
	var out []string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		for _, s := range split(line) {
			if s = plain(strings.TrimLeft(s, "#*->•| \t")); strings.ContainsFunc(s, unicode.IsLetter) {
				out = append(out, s)
			}
			if len(out) >= maxSentences {
				return out
			}
		}
	}
	return out
}

// split cuts a line behind '.', '!', '?' and the like where a space follows, so that file names stay whole.
func split(line string) []string {
	var out []string
	start := 0
	ends := false
	for i, r := range line {
		switch {
		case ends && unicode.IsSpace(r):
			out = append(out, line[start:i])
			start, ends = i, false
		case r == '.' || r == '!' || r == '?' || r == ';':
			// "e.g. x" and "1. x" end nothing.
			ends = i-start > 4
		case r == '。' || r == '！' || r == '？':
			end := i + len(string(r))
			out = append(out, line[start:end])
			start, ends = end, false
		default:
			ends = false
		}
	}
	return append(out, line[start:])
}

// clientCommands are commands about the conversation itself, not about the work.
var clientCommands = strings.Fields(`/clear /exit /quit /compact /resume /model /cost /usage /context /login /logout /status
	/help /config /permissions /memory /rewind /ide /mcp /agents /hooks /doctor /vim /bug /export /statusline /fast
	/effort /rename /plugin /reload-plugins /terminal-setup`)

// empty reports whether a prompt asks for nothing: it only agrees, is a command about the conversation, or is a
// placeholder of the client for an image or a finished task.
func empty(text string) bool {
	text = strings.TrimSpace(text)
	if first, _, _ := strings.Cut(text, " "); slices.Contains(clientCommands, first) {
		return true
	}
	for _, head := range []string{"[Image: source:", "Full transcript available at:", "Read the output file to retrieve the result:"} {
		if strings.HasPrefix(text, head) && !strings.Contains(text, "\n") {
			return true
		}
	}
	return len(text) <= 60 && index.OnlyAgrees(text)
}
