package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestReadStatus: what the client says, in all the shapes that it must not matter in.
func TestReadStatus(t *testing.T) {
	for _, c := range []struct {
		in   string
		want statusIn
	}{
		{`{"session_id":"s1","cwd":"/a","workspace":{"current_dir":"/b"},` +
			`"context_window":{"total_input_tokens":48213,"used_percentage":24.1}}`,
			statusIn{"s1", "/b", 48213, 24.1}},
		{`{"context_window":{"total_input_tokens":9,"used_percentage":null}}`, statusIn{tokens: 9}},
		{`{"session_id":7,"cwd":["/a"],"workspace":"x","context_window":[1]}`, statusIn{}},
		{`{"session_id":"s1","context_window":{"total_input_tokens":-5,"used_percentage":1e308}}`,
			statusIn{session: "s1", percent: 100}},
		{`{"session_id":"` + strings.Repeat("x", 300) + `"}`, statusIn{}},
		{`{"session_id":"s1"} trailing`, statusIn{session: "s1"}},
		{`[]`, statusIn{}}, {`null`, statusIn{}}, {``, statusIn{}}, {`{"session_id":`, statusIn{}},
	} {
		fault.Same(t, c.in, readStatus([]byte(c.in)), c.want, cmp.AllowUnexported(statusIn{}))
	}
}

// TestStatusText: the parts of the line, in the order of S4 §7, without colors.
func TestStatusText(t *testing.T) {
	fault.Same(t, "a live session", statusText(statusIn{tokens: 48213, percent: 24.1},
		&api.SessionAnswer{Mode: "live", Shown: 5, Resolved: 4, Used: 3, Files: 12}, false),
		"● Live | 48k tokens (24%) | 3 of 4 hints used (75%) | 12 files")
	fault.Same(t, "a resumed one", statusText(statusIn{},
		&api.SessionAnswer{Mode: "session", Shown: 1, Files: 1}, false), "⟳ Session | 1 hint | 1 file")
	fault.Same(t, "a new one", statusText(statusIn{tokens: 999},
		&api.SessionAnswer{Mode: "live", Known: 1200}, false), "● Live | 999 tokens | 1,200 files known")
	fault.Same(t, "no daemon", statusText(statusIn{tokens: 1_200_000}, nil, true), "○ aOa off | 1.2M tokens")
	fault.Same(t, "no repository", statusText(statusIn{}, nil, false), "")
}

// FuzzStatus: no input makes it fail, print control characters or a second line.
func FuzzStatus(f *testing.F) {
	f.Add(`{"session_id":"s1","context_window":{"total_input_tokens":48213,"used_percentage":24.1}}`)
	f.Add(`{"session_id":"\u001b[2J\n","cwd":"\u0000","context_window":{"used_percentage":1e999}}`)
	f.Add(strings.Repeat("[", 10000))
	f.Fuzz(func(t *testing.T, raw string) {
		in := readStatus([]byte(raw))
		line := statusText(in, nil, true)
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) || len(line) > 200 {
			t.Errorf("%q", line)
		}
	})
}
