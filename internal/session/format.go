package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// caps are the tokens of a prompt, and of the last one. The first pair that fits is used.
var caps = [][2]int{{70, 150}, {50, 120}, {35, 100}, {25, 80}, {18, 60}, {12, 40}, {8, 25}}

// formatPrompts is the older prompts in short, and the others one by one, in at most so many tokens.
func (h *history) formatPrompts(tokens int) (gists string, quoted []string) {
	gists, prompts := h.shortened(), relevantPrompts(h.prompts)
	for _, c := range caps {
		if quoted = h.formatEach(prompts, c); index.Tokens(gists)+sum(quoted) <= tokens {
			return gists, quoted
		}
	}
	for len(prompts) > 1 && index.Tokens(gists)+sum(quoted) > tokens {
		prompts = prompts[1:]
		quoted = h.formatEach(prompts, caps[len(caps)-1])
	}
	if index.Tokens(gists)+sum(quoted) > tokens {
		gists = ""
	}
	if sum(quoted) > tokens {
		quoted = nil
	}
	return gists, quoted
}

// relevantPrompts leaves out repetitions, and prompts that ask for nothing unless it is the last one.
func relevantPrompts(prompts []prompt) []prompt {
	var out []prompt
	for i, p := range prompts {
		if i < len(prompts)-1 && empty(p.text) || len(out) > 0 && out[len(out)-1].text == p.text {
			continue
		}
		out = append(out, p)
	}
	return out
}

func (h *history) formatEach(prompts []prompt, c [2]int) []string {
	var out []string
	before := time.Time{}
	if len(h.gists) > 0 {
		before = h.gists[len(h.gists)-1].at
	}
	for i, p := range prompts {
		most := c[0]
		if i == len(prompts)-1 {
			most = c[1]
		}
		if s := extract(p.text, most); s != "" {
			out = append(out, "Prompt at "+stamped(p.at, before)+": "+quote(s))
			before = p.at
		}
	}
	return out
}

func sum(texts []string) (n int) {
	for _, s := range texts {
		n += index.Tokens(s)
	}
	return n
}

// doneShare is the share of the actions' tokens for their summary.
const doneShare = .6

// formatActions is the summary of the older actions, and the latest ones one by one, in at most so many tokens.
func formatActions(phases []phase, latest []Action, tokens int) (done, last string) {
	done = formatPhases(phases, int(doneShare*float64(tokens)))
	for ; len(latest) > 0; latest = latest[1:] {
		if last = formatLatest(latest); index.Tokens(done)+index.Tokens(last) <= tokens {
			return done, last
		}
	}
	return done, ""
}

// formatPhases is the summary of actions, in at most so many tokens.
func formatPhases(phases []phase, tokens int) string {
	var facts []fact
	for i, p := range phases {
		for _, f := range p.facts() {
			// Of equal weights, facts of the newer phase stay. The remainder is the phase.
			facts = append(facts, fact{f.text, f.weight*100 + i})
		}
	}
	return fitFunc(facts, tokens, func(kept []fact) string {
		var b strings.Builder
		last := -1
		for _, f := range kept {
			switch i := f.weight % 100; {
			case last < 0:
				b.WriteString("Done before: ")
				last = i
			case i != last:
				b.WriteString(". Then ")
				last = i
			default:
				b.WriteString("; ")
			}
			b.WriteString(f.text)
		}
		return b.String() + "."
	})
}

// formatLatest is actions one by one. The same verb on several files in a row is one.
func formatLatest(actions []Action) string {
	var out []string
	verb := ""
	for _, a := range actions {
		n := len(out) - 1
		switch {
		case a.Verb == "searched" && a.Object == "":
			continue
		case n >= 0 && a.Verb == verb && (verb == "read" || verb == "edited" || verb == "wrote") &&
			!strings.Contains(out[n]+", ", " "+a.Object+", "):
			out[n] += ", " + a.Object
		case n >= 0 && a.Verb == verb && (verb == "read" || verb == "edited" || verb == "wrote"):
		default:
			s := strings.TrimSpace(a.Verb + " " + a.Object)
			switch {
			case a.Verb == "refused":
				s = "the user refused to let " + a.Object + " be changed"
			case a.Failed:
				s += " (failed)"
			}
			if n >= 0 && out[n] == s {
				continue
			}
			out = append(out, s)
		}
		verb = a.Verb
	}
	if len(out) == 0 {
		return ""
	}
	return "Latest actions: " + strings.Join(out, "; ") + "."
}

// attached is how many files the clients read again by themselves after a compaction, the newest: they are named last.
const attached = 5

// formatState is the state of the work, and the files that it names in full.
func formatState(w *work, st Worktree, words string, tokens int) (text string, files []event.Path) {
	open := w.open(st)
	if text = fit(w.facts(st, open, words, true), tokens, "\n"); !strings.Contains(text, changed) {
		text = fit(w.facts(st, open, words, false), tokens, "\n") // names alone take less space
	}
	for _, f := range open {
		if f.Mentionable() && strings.Contains(text, name(f)) {
			files = append(files, f)
		}
	}
	return text, files
}

// maxChanged is how many uncommitted files are named.
const maxChanged = 24

const changed = "Changed and not committed: "

// facts are what the state of the work consists of, with the lines that were changed if places says so.
func (w *work) facts(st Worktree, open []event.Path, words string, places bool) (facts []fact) {
	for i, s := range w.failing() {
		facts = append(facts, fact{"Failing: " + s, 90 - i})
	}
	named := func(f event.Path) string {
		if places {
			return w.files[f].place(f)
		}
		return name(f)
	}
	if s := listed(slices.Concat(open[min(len(open), attached):], open[:min(len(open), attached)]), maxChanged, named); s != "" {
		facts = append(facts, fact{changed + s, 80})
	}
	if words = extract(words, wordTokens); words != "" {
		facts = append(facts, fact{"The agent's last words before: " + quote(words), 70})
	}
	if len(w.refused) > 0 {
		facts = append(facts, fact{"Refused by the user since the last prompt: " + strings.Join(w.refused, ", "), 60})
	}
	if passed := w.passed(); len(passed) > 0 {
		facts = append(facts, fact{"Passing since the last change: " + strings.Join(passed[:min(len(passed), 2)], ", "), 50})
	}
	var ran []string
	for _, line := range w.ran {
		said := func(f fact) bool { return strings.Contains(f.text, quote(line)) }
		if len(ran) < maxRanNamed && !slices.ContainsFunc(facts, said) {
			ran = append(ran, quote(line))
		}
	}
	if len(ran) > 0 {
		facts = append(facts, fact{"Checks that ran before: " + strings.Join(ran, ", "), 44})
	}
	if s := listed(w.committed(open), 6, name); s != "" {
		facts = append(facts, fact{"Changed and committed: " + s, 45})
	}
	if branch := event.Path(st.Branch); st.Known && branch.Mentionable() {
		facts = append(facts, fact{"On branch " + event.Quote(st.Branch), 40})
	}
	for i := range facts {
		facts[i].text += "."
	}
	return facts
}

// maxRanNamed is how many checks are named whose outcome is not.
const maxRanNamed = 2

// wordTokens are those of the agent's last words.
const wordTokens = 60

// listed names at most so many files, and counts the others.
func listed(files []event.Path, most int, named func(event.Path) string) string {
	var out []string
	for _, f := range files {
		if f.Mentionable() && len(out) < most {
			out = append(out, named(f))
		}
	}
	switch n := len(files) - len(out); {
	case len(out) == 0 && n > 0:
		return plural(n, "file")
	case n > 0:
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}
