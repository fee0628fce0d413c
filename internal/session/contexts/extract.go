package contexts

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// gap stands for sentences that were left out.
const gap = "[…]"

// extract shortens a prompt to at most that many tokens. If the prompt does not fit, it keeps the
// most informative sentences, whole and in their order, with a gap where others were. The first
// sentence weighs more, because people begin with what they want. If no sentence fits, it returns
// the beginning of the first one. The result is plain text.
func extract(text string, tokens int) string {
	if len(text) <= 16*tokens { // a longer text cannot fit, not even if most of it is spaces
		if s := plain(text); index.Tokens(s) <= tokens {
			return s
		}
	}
	all := sentences(text)
	if best := choose(all, tokens); best != "" {
		return best
	}
	if len(all) == 0 {
		return ""
	}
	return beginning(all[0], tokens)
}

// beginning returns the first words of a sentence, with a gap after them.
func beginning(s string, tokens int) string {
	most := 4 * (tokens - index.Tokens(" "+gap))
	if most < minBeginning {
		return ""
	}
	cut := event.Clip(s, most)
	if i := strings.LastIndexByte(cut, ' '); i > 0 && len(cut) < len(s) {
		cut = cut[:i]
	}
	return cut + " " + gap
}

// minBeginning is the least number of bytes of the beginning of a sentence that is worth showing.
const minBeginning = 8

// choose returns the most informative sentences that fit, in their order.
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

// worths returns the worth of each sentence: the sum over its terms of ln(1 + sentences ÷ sentences
// with the term), divided by √(bytes + 20). The worth of the first sentence is then doubled and
// gets 0.5 more; a question counts 1.2 times.
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

// maxSentences is the largest number of sentences of a text that are rated.
const maxSentences = 200

// sentences returns the sentences and lines of a text, as plain text. Fenced code is left out.
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

// split cuts a line after '.', '!', '?' and the like if a space follows. File names thus stay
// whole.
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
			// A dot as in "e.g. x" and "1. x" does not end a sentence.
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
var clientCommands = strings.Fields(`/clear /exit /quit /compact /resume /model /cost /usage /context /login
	/logout /status /help /config /permissions /memory /rewind /ide /mcp /agents /hooks /doctor /vim /bug /export
	/statusline /fast /effort /rename /plugin /reload-plugins /terminal-setup`)

// empty reports whether a prompt asks for nothing: it only agrees, is a command about the
// conversation, or is a placeholder of the client for an image or a finished task.
func empty(text string) bool {
	text = strings.TrimSpace(text)
	if first, _, _ := strings.Cut(text, " "); slices.Contains(clientCommands, first) {
		return true
	}
	for _, head := range []string{"[Image: source:", "Full transcript available at:",
		"Read the output file to retrieve the result:"} {
		if strings.HasPrefix(text, head) && !strings.Contains(text, "\n") {
			return true
		}
	}
	return len(text) <= 60 && index.OnlyAgrees(text)
}

// plain makes a foreign text safe inside of a line of ours: one line, without characters that could
// end a quotation, begin a tag, move the cursor, hide text, or reorder it.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == '<':
			r = '‹'
		case r == '"', r == '“', r == '”', r == '„', r == '«', r == '»', r == '＂':
			r = '\''
		case r == utf8.RuneError, unicode.Is(unicode.C, r), unicode.Is(unicode.Variation_Selector, r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote returns plain text in quotation marks.
func quote(s string) string { return `"` + s + `"` }
