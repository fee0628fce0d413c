package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// TestBatches: a session as recorded becomes the hooks that Claude Code would run: a prompt alone,
// after the end of the turn before it, calls that were requested together in one batch, a shell
// command with the file that was found in it once, a failed read as such.
func TestBatches(t *testing.T) {
	var rows []recorded.Row
	for line := range strings.Lines(`{"session":"s","ts":10,"seq":1,"kind":"prompt","text":"go on","said":"shall I?"}
{"session":"s","ts":11,"seq":2,"kind":"read","path":"a.go","call":1,"batch":1}
{"session":"s","ts":11,"seq":3,"kind":"bash","text":"cat b.go","call":2,"batch":1}
{"session":"s","ts":11,"seq":4,"kind":"read","path":"b.go","call":2,"batch":1,"results":["b.go"]}
{"session":"s","ts":9,"seq":5,"kind":"failed","tool":"read","why":"missing","path":"c.go","call":3,"batch":2}
{"session":"s","ts":12,"seq":6,"kind":"search","text":"parse","call":4,"batch":3,"results":["a.go","b.go"]}`) {
		var r recorded.Row
		fault.Check(t, json.Unmarshal([]byte(line), &r))
		rows = append(rows, r)
	}
	var said []string
	last := int64(0)
	for _, b := range batchesOf(rows, "/r") {
		if b.at.Unix() < last {
			t.Errorf("time goes back to %v", b.at)
		}
		last = b.at.Unix()
		for _, p := range b.hooks("/r", 1) {
			name, _ := p["tool_name"].(string)
			said = append(said, strings.TrimSpace(p["hook_event_name"].(string)+" "+name))
		}
	}
	const want = "Stop, UserPromptSubmit, PreToolUse Read, PostToolUse Read, PostToolUse Bash, PostToolBatch, " +
		"PreToolUse Read, PostToolUseFailure Read, PostToolBatch, PostToolUse Grep, PostToolBatch"
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
