package contexts

import (
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// caps has pairs of limits in tokens: for a prompt, and for the last prompt. The first pair with
// which everything fits is used.
var caps = [][2]int{{70, 150}, {50, 120}, {35, 100}, {25, 80}, {18, 60}, {12, 40}, {8, 25}}

// formatPrompts returns the older prompts in short, and the others one by one, in at most that many
// tokens.
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

// relevantPrompts leaves out repetitions, and prompts that ask for nothing unless it is the last
// one.
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

// doneShare is the share of the actions' tokens that their summary may take.
const doneShare = .6

// formatActions returns a summary of the older actions, and the latest ones one by one, in at most
// that many tokens.
func formatActions(d *done, latest []Action, tokens int) (before, last string) {
	if before = fit(d.facts(), int(doneShare*float64(tokens))-doneTokens, "; "); before != "" {
		before = "Done before: " + before + "."
	}
	for ; len(latest) > 0; latest = latest[1:] {
		if last = formatLatest(latest); index.Tokens(before)+index.Tokens(last) <= tokens {
			return before, last
		}
	}
	return before, ""
}

// doneTokens is the number of tokens of the words around what was done before.
const doneTokens = 4

// formatLatest returns actions one by one. The same verb on several files in a row is written once.
func formatLatest(actions []Action) string {
	var out []string
	verb := ""
	for _, a := range actions {
		n := len(out) - 1
		again := n >= 0 && a.Verb == verb && (verb == "read" || verb == "edited" || verb == "wrote")
		switch {
		case a.Verb == "searched" && a.Object == "":
			continue
		case again && strings.Contains(out[n]+", ", " "+a.Object+", "): // the file has already been named
		case again:
			out[n] += ", " + a.Object
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

// attached is the number of newest files that clients read again by themselves after a compaction.
// Because of that, the context names them last.
const attached = 5

// formatState returns the state of the work, the files that it names, and whether these are all. If
// not everything fits, it first leaves out the line numbers, then writes folders only once, then
// leaves out files.
func formatState(w *work, st Worktree, use For, tokens int) (text string, files []event.Path, all bool) {
	most := maxChanged
	for i := 0; most > 0; i++ {
		list := grouped
		switch i {
		case 0:
			list = func(files []event.Path) []string {
				return each(files, func(f event.Path) string { return place(f, st.Lines[f]) })
			}
		case 1:
			list = func(files []event.Path) []string { return each(files, name) }
		}
		facts := w.facts(st, use, most, list)
		text = fit(facts, tokens, "\n")
		cut := func(f fact) bool { return f.weight >= editedWeight && !strings.Contains(text, f.text) }
		if !slices.ContainsFunc(facts, cut) {
			all = i < 3
			break
		}
		if i >= 2 {
			most--
		}
	}
	for _, part := range []struct {
		head string
		list []event.Path
	}{{changedHead, w.changed(st)}, {earlierHead, w.others(st)}} {
		if part.list = mentionable(part.list, most-len(files)); strings.Contains(text, part.head) {
			files = append(files, part.list...)
		}
	}
	return text, files, all
}

// mentionable returns the first files that may be named, at most most.
func mentionable(files []event.Path, most int) []event.Path {
	out := slices.DeleteFunc(slices.Clone(files), func(f event.Path) bool { return !f.Mentionable() })
	return out[:min(len(out), max(most, 0))]
}

// grouped returns the names of files in short: those of one folder together, as "a/{x.go,y.go}".
func grouped(files []event.Path) (out []string) {
	var dirs []string
	in := map[string][]event.Path{}
	for _, f := range files {
		dir := f.Dir()
		if dir == "" || f.Quoted() != string(f) {
			dir = string(f) // it is listed by itself
		}
		if in[dir] == nil {
			dirs = append(dirs, dir)
		}
		in[dir] = append(in[dir], f)
	}
	for _, dir := range dirs {
		if g := in[dir]; len(g) == 1 {
			out = append(out, name(g[0]))
		} else {
			out = append(out, dir+"/{"+strings.Join(each(g, event.Path.Base), ",")+"}")
		}
	}
	return out
}

func each[A, B any](list []A, fn func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = fn(a)
	}
	return out
}

const (
	changedHead  = "Changed and not committed: "
	earlierHead  = "Edited earlier: "
	maxChanged   = 24 // edited files that are named
	editedWeight = 70 // least weight of a fact that names edited files
)

// facts returns the state of the work with at most most files, formatted by list. After a
// compaction it leaves out what clients keep themselves.
func (w *work) facts(st Worktree, use For, most int, list func([]event.Path) []string) (facts []fact) {
	add := func(head, text string, weight int) {
		if text != "" {
			facts = append(facts, fact{head + text + ".", weight})
		}
	}
	add("", w.lastCheck(st), 90)
	open := w.changed(st)
	add(changedHead, listed(open, most, list), 80)
	if left := most - len(open); left > 0 {
		add(earlierHead, listed(w.others(st), left, list), editedWeight)
	}
	if use != ForCompact {
		add("Refused by the user since the last prompt: ", strings.Join(w.refused, ", "), 60)
		if branch := event.Path(st.Branch); st.Known && branch.Mentionable() {
			add("On branch ", event.Quote(st.Branch), 40)
		}
	}
	return facts
}
