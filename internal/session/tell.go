package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// caps are the tokens of a prompt, and of the last one, from the most generous on: the first that has room counts.
var caps = [][2]int{{70, 150}, {50, 120}, {35, 100}, {25, 80}, {18, 60}, {12, 40}, {8, 25}}

// tellPrompts tells the older prompts in short, and the others by themselves, in at most so many tokens.
func tellPrompts(d *digest, prompts []item, tokens int) (gists string, said []string) {
	gists, prompts = d.gists(), worthTelling(prompts)
	for _, c := range caps {
		if said = sayPrompts(d, prompts, c); index.Tokens(gists)+sum(said) <= tokens {
			return gists, said
		}
	}
	for len(prompts) > 1 && index.Tokens(gists)+sum(said) > tokens {
		prompts = prompts[1:]
		said = sayPrompts(d, prompts, caps[len(caps)-1])
	}
	if index.Tokens(gists)+sum(said) > tokens {
		gists = ""
	}
	if sum(said) > tokens {
		said = nil
	}
	return gists, said
}

// worthTelling leaves out prompts that ask for nothing, unless it is the last one, and repetitions.
func worthTelling(prompts []item) []item {
	var out []item
	for i, p := range prompts {
		if i < len(prompts)-1 && empty(p.prompt) || len(out) > 0 && out[len(out)-1].prompt == p.prompt {
			continue
		}
		out = append(out, p)
	}
	return out
}

func sayPrompts(d *digest, prompts []item, c [2]int) []string {
	var out []string
	before := time.Time{}
	if len(d.Gists) > 0 {
		before = time.UnixMilli(d.Gists[len(d.Gists)-1].At)
	}
	for i, p := range prompts {
		most := c[0]
		if i == len(prompts)-1 {
			most = c[1]
		}
		if s := extract(p.prompt, most); s != "" {
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

// doneShare is the part of the actions' tokens that their summary may take.
const doneShare = .6

// tellActions tells the summary of the older actions, and the latest ones by themselves, in at most so many tokens.
func tellActions(phases []phase, latest []Action, tokens int) (done, last string) {
	done = tellPhases(phases, int(doneShare*float64(tokens)))
	for ; len(latest) > 0; latest = latest[1:] {
		if last = tellLatest(latest); index.Tokens(done)+index.Tokens(last) <= tokens {
			return done, last
		}
	}
	return done, ""
}

// tellPhases is the summary of actions: of older phases less is kept.
func tellPhases(phases []phase, tokens int) string {
	var facts []fact
	for i, p := range phases {
		for _, f := range p.facts() {
			// The heavier stays, of equal ones the newer phase's; the remainder is the phase.
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

// tellLatest tells actions one by one; what was done to several files in a row is told once.
func tellLatest(actions []Action) string {
	var out []string
	verb := ""
	for _, a := range actions {
		n := len(out) - 1
		switch {
		case a.Verb == "searched" && a.Object == "":
			continue
		case n >= 0 && a.Verb == verb && (verb == "read" || verb == "edited" || verb == "wrote") && !strings.Contains(out[n]+", ", " "+a.Object+", "):
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

// tellState tells where the work stands, and names the files in full.
func tellState(w *work, st Worktree, tokens int, bare bool) (text string, files []event.Path) {
	open := w.open(st)
	var facts []fact
	for i, s := range w.failing() {
		facts = append(facts, fact{"Failing: " + s, 90 - i})
	}
	if s := listed(open, 6); s != "" {
		facts = append(facts, fact{"Changed and not committed: " + s, 80})
	}
	if len(w.Refused) > 0 {
		facts = append(facts, fact{"Refused by the user since the last prompt: " + strings.Join(w.Refused, ", "), 60})
	}
	if passed := w.passed(); len(passed) > 0 {
		facts = append(facts, fact{"Passing since the last change: " + strings.Join(passed[:min(len(passed), 2)], ", "), 50})
	}
	if st.Known && st.Branch != "" {
		facts = append(facts, fact{"On branch " + plain(st.Branch), 40})
	}
	if !bare {
		if s := listed(w.inPlay(st, open), 4); s != "" {
			facts = append(facts, fact{"Also in hand: " + s, 30})
		}
	}
	for i := range facts {
		facts[i].text += "."
	}
	text = fit(facts, tokens, "\n")
	for _, f := range slices.Concat(open, w.inPlay(st, open)) {
		if strings.Contains(text, name(f)) {
			files = append(files, f)
		}
	}
	return text, files
}

// listed names files, at most so many, and says how many more there are.
func listed(files []event.Path, most int) string {
	var out []string
	for _, f := range files[:min(len(files), most)] {
		out = append(out, name(f))
	}
	if n := len(files) - most; n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}
