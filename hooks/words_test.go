package hooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWords asks what testdata/words.txt asks. The lines with a tab below each are the answer (-update
// writes them).
//
//	render AGENT EVENT      the JSON of a hint for an agent; none: the event takes no text
//	speaks AGENT EVENT…     the events at which text reaches the model
//	failing OUTPUT          the lines of a test's output that name failures
//	prompt TEXT             what a person wrote, what was pasted, what a machine wrote
//	problem TEXT            the kind of a failed call
//	members JSON            the members of a cut object that are whole
//	tags FILE               the tags of a file that was read, with the rules of the test
//	time JSON               when a payload says that it happened; year 1: it does not say it
//	waits AGENT EVENT       how long the client waits for an answer, and whether it starts the daemon
func TestWords(t *testing.T) {
	rules := &CallContext{Repo: Repo{Tags: TagRules{"billing/": "#money", "*_gen.go": "generated", "docs/**/*.md": "manual",
		"a/b/": "ab", "word:Invoices": "money", "/top.txt": "top"}}}
	known := map[string]bool{}
	fault.Replies(t, "testdata/words.txt", func(line string) []string {
		words := fault.Words(line)
		text := strings.Join(words[1:], " ")
		switch words[0] {
		case "render":
			words = append(words, "", "")
			got := string(Render(words[1], words[2], "", "a.go: x\n"))
			fault.Same(t, line+": takes text", speaks(words[1], words[2]), got != "")
			return []string{cmp.Or(got, "nothing")}
		case "speaks":
			agent, said := words[1], []string{}
			known[agent] = true
			for _, event := range words[2:] {
				long := Render(agent, event, "", strings.Repeat("本", 5000))
				fault.Same(t, line+": a text of "+event, len(long) > 0, speaks(agent, event))
				if limit := map[bool]int{true: 7_500, false: 10_000}[agent == "codex"]; len(long) > limit { // 2,500 tokens
					t.Errorf("%s: %d bytes for %s", agent, len(long), event)
				}
				if len(long) > 0 {
					said = append(said, event)
				}
			}
			return []string{strings.Join(said, " ")}
		case "failing":
			return failureLines(text + "\n")
		case "prompt":
			p := splitPrompt(text)
			return []string{fmt.Sprintf("human %q, pasted %q, machine %q", p.human, p.pasted, p.machine)}
		case "problem":
			return []string{fmt.Sprint(classify(text))}
		case "members":
			return []string{string(wholeMembers([]byte(text)))}
		case "tags":
			return []string{strings.Join(rules.tags(event.KindRead, nil, []event.Path{event.Path(text)}), " ")}
		case "time":
			var v any
			_ = json.Unmarshal([]byte(text), &v)
			return []string{timeOf(v).UTC().Format(time.RFC3339Nano)}
		case "waits":
			wait, starts := client.Patience(words[1], words[2])
			return []string{fmt.Sprint(wait, " ", starts)}
		}
		return nil
	})
	fault.Same(t, "agents of which it says where they take text", len(known), len(agents.All))
	fault.Same(t, "nothing to say", string(Render("claude", "PreToolUse", "", " \n\x00\u200b ")), "")
	fault.Same(t, "a word of a prompt", rules.tags(event.KindPrompt, index.Terms("send the invoices", 9), nil), []string{"money"})
}

// TestCopilotTime: a clock that is far off is not believed.
func TestCopilotTime(t *testing.T) {
	now := orchard().Now()
	for ago, believed := range map[int]bool{3600: false, 1: true} {
		at := now.Add(-time.Duration(ago) * time.Second)
		fault.Same(t, fmt.Sprint(ago, " seconds ago"), (&payload{raw: members{"timestamp": at.Format(time.RFC3339Nano)}}).when(now).Equal(at), believed)
	}
}
