package session

import (
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
			case a.exit != "":
				s += " (exit status " + a.exit + ")"
			case a.Failed && a.Verb != "ran":
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

// formatState is the state of the work, and the files that it names in full. Where not all fits, the lines of files
// are left out first, then files.
func formatState(w *work, st Worktree, use For, tokens int) (text string, files []event.Path) {
	for i, most := range []int{maxChanged, maxChanged, 16, 12, 8, 5, 3} {
		facts := w.facts(st, use, most, i == 0)
		text = fit(facts, tokens, "\n")
		cut := func(f fact) bool { return f.weight >= editedWeight && !strings.Contains(text, f.text) }
		if !slices.ContainsFunc(facts, cut) {
			break
		}
	}
	for _, f := range slices.Concat(w.open(st), w.others(st)) {
		if f.Mentionable() && strings.Contains(text, name(f)) {
			files = append(files, f)
		}
	}
	return text, files
}

const (
	maxChanged   = 24 // edited files that are named
	editedWeight = 70 // of a fact that names edited files, at least
)

// facts are what the state of the work consists of, with at most so many files, and with their lines if places says so.
// After a compaction it is what no client keeps itself.
func (w *work) facts(st Worktree, use For, most int, places bool) (facts []fact) {
	named := func(f event.Path) string {
		if places {
			return place(f, st.Lines[f])
		}
		return name(f)
	}
	add := func(head, text string, weight int) {
		if text != "" {
			facts = append(facts, fact{head + text + ".", weight})
		}
	}
	add("", w.lastCheck(st), 90)
	open := w.open(st)
	open = slices.Concat(open[min(len(open), attached):], open[:min(len(open), attached)])
	add("Changed and not committed: ", listed(open, most, named), 80)
	if left := most - len(open); left > 0 {
		add("Edited earlier: ", listed(w.others(st), left, name), editedWeight)
	}
	if use != ForCompact {
		add("Refused by the user since the last prompt: ", strings.Join(w.refused, ", "), 60)
		if branch := event.Path(st.Branch); st.Known && branch.Mentionable() {
			add("On branch ", event.Quote(st.Branch), 40)
		}
	}
	return facts
}
