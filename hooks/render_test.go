package hooks

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestRender(t *testing.T) {
	tests := []struct{ agent, event, want string }{
		{"claude", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a.go: x"}}`},
		{"claude", "PostToolBatch", `{"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"a.go: x"}}`},
		{"codex", "UserPromptSubmit", `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a.go: x"}}`},
		{"cursor", "postToolUse", `{"additional_context":"a.go: x"}`},
		{"copilot", "sessionStart", `{"additionalContext":"a.go: x"}`},
		{"cursor", "PostToolUse", `{"additional_context":"a.go: x"}`},
		{"copilot", "PostToolUse", `{"additionalContext":"a.go: x"}`},
		{"opencode", "PostToolUse", `{"additionalContext":"a.go: x"}`},
		{"gemini", "AfterTool", `{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"a.go: x"}}`},
		{"qwen", "PostToolUseFailure", `{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"a.go: x"}}`},
		{"claude", "Stop", `{"systemMessage":"a.go: x"}`}, {"codex", "Stop", ""}, {"copilot", "userPromptSubmitted", ""}, {"copilot", "preToolUse", ""},
		{"claude", "SessionEnd", ""}, {"claude", "PreCompact", ""}, {"claude", "Setup", ""}, {"claude", "", ""},
		{"codex", "PostToolUse", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"a.go: x"}}`},
		{"gemini", "BeforeTool", ""}, {"cursor", "beforeSubmitPrompt", ""},
		{"git", "post-commit", ""}, {"", "", ""},
	}
	for _, tt := range tests {
		if got := string(Render(tt.agent, tt.event, Block{}, "a.go: x\n")); got != tt.want {
			t.Errorf("Render(%s, %s) = %s, want %s", tt.agent, tt.event, got, tt.want)
		}
		if speaks(tt.agent, tt.event) != (tt.want != "") {
			t.Errorf("takes text: (%s, %s)", tt.agent, tt.event)
		}
	}
	fault.Same(t, "nothing to say", string(Render("claude", "PreToolUse", Block{}, " \n\x00\u200b ")), "")
}

func suggestion(file, text string) event.Suggestion {
	return event.Suggestion{File: event.Path(file), Reasons: []event.Reason{{Signal: "quiet", Value: 1, Weight: 2},
		{Signal: "against", Value: 1, Weight: -1, Text: "seldom used"}, {Signal: "together", Value: 1, Weight: 1,
			Text: text}}}
}

func TestText(t *testing.T) {
	place := suggestion("src/ctx.py", "changed")
	place.Line, place.Symbol, place.Score = 445, "AppContext.pop", .62
	commits := suggestion("CHANGES.rst", "in 4 of the last 5 commits to src/ctx.py")
	commits.Reasons[2].Evidence, commits.Score = true, .4
	vague := suggestion("y.go", "its path fits the text")
	heading := suggestion("docs/x.md", "changed with x.go in 14 of 17 commits")
	heading.Place = event.Place{Line: 41, Symbol: "suggest", Heading: true}
	unnamed := suggestion("a.toml", "changed with x.go in 3 of 4 commits")
	unnamed.Line = 7
	for _, c := range []struct {
		kind  string
		sugg  []event.Suggestion
		space int
		want  string
	}{
		{HintPartner, []event.Suggestion{suggestion("docs/x.md", "changed with x.go in 14 of 17 commits"), suggestion("y.go", "")},
			MaxHint, "\ndocs/x.md: changed with x.go in 14 of 17 commits\ny.go"},
		{HintPartner, []event.Suggestion{heading, unnamed}, MaxHint, "\ndocs/x.md:41 \"suggest\": changed with x.go in 14 of 17 commits" +
			"\na.toml:7: changed with x.go in 3 of 4 commits"},
		{HintPrompt, []event.Suggestion{place, commits, vague}, MaxHint, "\nsrc/ctx.py:445 AppContext.pop (62 %)" +
			"\nCHANGES.rst (40 %): in 4 of the last 5 commits to src/ctx.py\ny.go (0 %)"},
		{HintSearch, []event.Suggestion{place}, MaxHint, "\nsrc/ctx.py:445 AppContext.pop"},
		{HintSought, []event.Suggestion{place}, MaxHint, "\nsrc/ctx.py:445 AppContext.pop (62 %)"},
		{HintStale, []event.Suggestion{suggestion("a.go", "x"), suggestion("b.go", "y")}, 68, "\na.go: x"},
		{HintStale, []event.Suggestion{suggestion("a.go", "x")}, 60, ""},
		{"unknown", []event.Suggestion{suggestion("a", "b")}, MaxHint, ""},
		{HintNext, nil, MaxHint, ""},
	} {
		want := c.want
		if want != "" {
			want = preface + opening[c.kind] + want
		}
		if got, named := Text(c.kind, c.sugg, c.space); got != want || len(named) != strings.Count(want, "\n") {
			t.Errorf("%s names %q:\n%s\nwant\n%s", c.kind, named, got, want)
		}
	}
}

func TestTextIsBoundedAndHarmless(t *testing.T) {
	hostile := "a\n\x1b[2J\u202eb" + strings.Repeat("/long", 20) + ".go"
	var many []event.Suggestion
	for range 9 {
		many = append(many, suggestion(hostile, "line one\nline two "+strings.Repeat("words ", 90)))
	}
	for kind := range opening {
		got, _ := Text(kind, many, MaxStart)
		limit := MaxHint
		if kind == HintStart {
			limit = MaxStart
		}
		if n := strings.Count(got, "\n"); n < 1 || n > maxFiles || len(got) > limit {
			t.Errorf("%s: %d lines, %d bytes", kind, n, len(got))
		}
		if strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%s: a file name can move the cursor: %q", kind, got)
		}
	}
	if got, _ := Text(HintNext, []event.Suggestion{suggestion(strings.Repeat("x", 4000), "")}, MaxHint); got != "" {
		t.Errorf("half a path was printed: %q", got)
	}
}

// TestFactsNotOrders: models are warned of tools that give orders.
func TestFactsNotOrders(t *testing.T) {
	for kind, line := range opening {
		for _, word := range strings.Fields(strings.ToLower(line)) {
			switch strings.Trim(word, ",:") {
			case "read", "open", "look", "check", "you", "should", "must", "please", "may", "need", "see":
				if kind != HintStale { // "since this session read them" is a fact
					t.Errorf("%s gives orders: %s", kind, line)
				}
			}
		}
	}
	if len(opening) != 8 {
		t.Errorf("%d kinds have words, want 8", len(opening))
	}
}
