package hooks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// promptParts are the parts of a prompt. In the same event agents send what a person typed, what
// the person pasted, and what machines report (finished tasks, local commands, other sessions).
type promptParts struct {
	human   string // typed by the person, without private spans and text of machines
	pasted  string // pasted by the person: it may name files, but its words are not the person's
	machine string // reported by the agent's own machinery
	timer   string // the part of machine that a schedule asks for
}

// splitPrompt splits a prompt into its parts. A tag that is not closed extends to the end.
func splitPrompt(prompt string) promptParts {
	prompt = redact.Private(event.Clip(prompt, maxPrompt))
	// Gemini CLI repeats what hooks have answered before, including ours, in the prompt.
	prompt, _ = cutTag(prompt, "hook_context")
	var s promptParts
	for _, head := range sections()["prompts of machines"] {
		if strings.HasPrefix(strings.TrimSpace(prompt), head) {
			s.machine = prompt
			return s
		}
	}
	prompt, s.pasted = cutTag(prompt, "pasted_content")
	for _, tag := range sections()["tags of machines"] {
		var inner string
		if prompt, inner = cutTag(prompt, tag); inner != "" {
			s.machine += inner + "\n"
		}
		if tag == "scheduled-task" {
			s.timer = strings.TrimSpace(inner)
		}
	}
	s.human = strings.TrimSpace(slashCommand(prompt))
	return s
}

// slashCommand restores a command that the agent has wrapped in tags to the form in which it was
// typed.
func slashCommand(prompt string) string {
	rest, name := cutTag(prompt, "command-name")
	if name == "" {
		return prompt
	}
	rest, args := cutTag(rest, "command-args")
	rest, _ = cutTag(rest, "command-contents")
	return strings.TrimSpace("/" + strings.TrimPrefix(strings.TrimSpace(name),
		"/") + " " + strings.TrimSpace(args) + " " + strings.TrimSpace(rest))
}

// cutTag removes <tag …>inner</tag> spans from a text. A span that is not closed ends with the text.
func cutTag(text, tag string) (rest, inner string) {
	if !strings.Contains(event.Lower(text), "<"+tag) { // a search takes a thousandth of the time
		return text, ""
	}
	span := regexp.MustCompile(`(?is)<` + tag + `(?:[\s/][^>]*)?(?:>|\z)(.*?)(</` + tag + `>|\z)`)
	for _, found := range span.FindAllStringSubmatch(text, -1) {
		if inner += found[1]; found[2] != "" {
			inner += "\n"
		}
	}
	return span.ReplaceAllString(text, ""), inner
}

// Prompt returns the event of a prompt, and the question that goes with it. A prompt that only a
// machine wrote has no question; the files that it names count as seen.
func (s *CallContext) Prompt(text string) (events []event.Event, query *event.Query) {
	p, id := splitPrompt(text), s.promptID(text)
	if p.human == "" && p.pasted == "" {
		b := event.Call{Act: event.ActOther, Tool: event.ToolNotice, Seen: s.mentions(p.machine, false)}
		if p.timer != "" {
			b.Tool, b.Text = event.ToolScheduled, store(p.timer, event.MaxText)
		} else if len(b.Seen) == 0 {
			return nil, nil
		}
		return []event.Event{s.event(id, b)}, nil
	}
	b := event.Prompt{Text: store(cmp.Or(p.human, p.pasted), event.MaxText)}
	b.Brief = event.Brief(b.Text)
	b.Terms = redact.Terms(b.Text, event.MaxTerms)
	b.Named = s.mentions(p.human, false)
	b.Seen = s.mentions(p.pasted+"\n"+p.machine, false)
	b.Tags = s.tags(event.KindPrompt, b.Terms, b.Named)
	e := s.event(id, b)
	return []event.Event{e}, event.PromptQuery(e)
}

// promptID returns an id that is the same for every delivery of a prompt: the agent's id, else a
// hash of what was typed, where and when.
func (s *CallContext) promptID(text string) string {
	if s.Turn != "" {
		return "prompt:" + s.Turn
	}
	return "prompt:" + digest(s.Session, text, strconv.FormatInt(s.Time.Unix(), 10))
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
