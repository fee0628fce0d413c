package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/fault"
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
		{`{"context_window":{"total_input_tokens":9,` +
			`"current_usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":20000}}}`,
			statusIn{tokens: 20015}},
		{`{"context_window":{"total_input_tokens":9,"used_percentage":null,"current_usage":null}}`, statusIn{tokens: 9}},
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

func TestStatusText(t *testing.T) {
	a := &app{}
	for want, r := range map[string]statusReport{
		"● Live | 48k tokens (24%) | 3 of 4 hints used (75%) | 12 files": {Tokens: 48213, Percent: 24.1,
			Session: &api.SessionAnswer{Mode: "live", Shown: 5, Resolved: 4, Used: 3, Files: 12}},
		"⟳ Session | 1 hint | 1 file":             {Session: &api.SessionAnswer{Mode: "session", Shown: 1, Files: 1}},
		"● Live | 999 tokens | 1,200 files known": {Tokens: 999, Session: &api.SessionAnswer{Mode: "live", Known: 1200}},
		"○ aOa off | 1.2M tokens":                 {Daemon: "down", Tokens: 1_200_000},
		"":                                        {Daemon: "none"},
	} {
		if got := a.statusText(r); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	a.colors = true
	fault.Same(t, "no color", a.statusText(statusReport{Daemon: "down"}), "\x1b[2m○ aOa off\x1b[0m")
}

// FuzzStatus: no input makes it fail, print control characters or a second line.
func FuzzStatus(f *testing.F) {
	f.Add(`{"session_id":"s1","context_window":{"total_input_tokens":48213,"used_percentage":24.1}}`)
	f.Add(`{"session_id":"\u001b[2J\n","cwd":"\u0000","context_window":{"used_percentage":1e999}}`)
	f.Add(strings.Repeat("[", 10000))
	a := &app{}
	f.Fuzz(func(t *testing.T, raw string) {
		in := readStatus([]byte(raw))
		line := a.statusText(statusReport{Daemon: "down", Tokens: in.tokens, Percent: in.percent})
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) || len(line) > 200 {
			t.Errorf("%q", line)
		}
	})
}
