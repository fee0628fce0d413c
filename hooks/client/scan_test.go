package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// shrink runs a payload through the scanner.
func shrink(r io.Reader) (*scan, bool) {
	s := newScan(func(p []byte) int {
		n, err := r.Read(p)
		if err != nil && n == 0 {
			return -1
		}
		return n
	})
	ok := s.run()
	return s, ok
}

func shrunk(t *testing.T, in string) string {
	t.Helper()
	s, ok := shrink(strings.NewReader(in))
	if !ok || !json.Valid(s.out) {
		t.Fatalf("shrink(%.200q) = %.300q, %v", in, s.out, ok)
	}
	return string(s.out)
}

func TestBodiesAreDropped(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"read", `{"cwd":"/r","tool_name":"Read","tool_response":{"type":"text","file":{"filePath":"/r/a.go","content":"package a\nsecret","numLines":2}}}`,
			`{"cwd":"/r","tool_name":"Read","tool_response":{"type":"text","file":{"filePath":"/r/a.go","content":"","numLines":2}}}`},
		{"edit", `{"tool_name":"Edit","tool_input":{"file_path":"/r/1.go","old_string":"a","new_string":"b","replace_all":true},"tool_response":{"filePath":"/r/1.go","oldString":"a","newString":"b","originalFile":null,"structuredPatch":[{"lines":["-a","+b"]}]}}`,
			`{"tool_name":"Edit","tool_input":{"file_path":"/r/1.go","old_string":"","new_string":"","replace_all":true},"tool_response":{"filePath":"/r/1.go","oldString":"","newString":"","originalFile":null,"structuredPatch":[]}}`},
		{"write", `{"tool_name":"Write","tool_input":{"file_path":"/r/a","content":"body"},"tool_response":{"type":"create","filePath":"/r/a","content":"body"}}`,
			`{"tool_name":"Write","tool_input":{"file_path":"/r/a","content":""},"tool_response":{"type":"create","filePath":"/r/a","content":""}}`},
		{"multi edit", `{"tool_name":"MultiEdit","tool_input":{"edits":[{"old_string":"a","new_string":"b"}]}}`,
			`{"tool_name":"MultiEdit","tool_input":{"edits":[{"old_string":"","new_string":""}]}}`},
		{"edit done", `{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"old_string":"a","new_string":"` + strings.Repeat("b", maxSwap+1) + `","content":"x"},"tool_response":{"old_string":"c"}}`,
			`{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"old_string":"a","new_string":null,"content":""},"tool_response":{"old_string":""}}`},
		{"edits done", `{"hook_event_name":"PostToolUse","tool_name":"MultiEdit","tool_input":{"edits":[{"old_string":"a\nb","new_string":""}]}}`,
			`{"hook_event_name":"PostToolUse","tool_name":"MultiEdit","tool_input":{"edits":[{"old_string":"a\nb","new_string":""}]}}`},
		{"edit before", `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"old_string":"a"}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"old_string":""}}`},
		{"image", `{"tool_name":"Read","tool_response":{"type":"image","file":{"base64":"aaaa","type":"image/png"}}}`,
			`{"tool_name":"Read","tool_response":{"type":"image","file":{"base64":"","type":"image/png"}}}`},
		{"grep keeps content", `{"tool_name":"Grep","tool_response":{"content":"a.go:1:x\nb.go:2:y","filenames":["a.go"]}}`,
			`{"tool_name":"Grep","tool_response":{"content":"a.go:1:x\nb.go:2:y","filenames":["a.go"]}}`},
		{"agent keeps content", `{"tool_name":"Agent","tool_response":{"content":[{"type":"text","text":"see a.go"}]}}`,
			`{"tool_name":"Agent","tool_response":{"content":[{"type":"text","text":"see a.go"}]}}`},
		{"batch", `{"tool_calls":[{"tool_name":"Read","tool_response":"     1\tpackage a\n"},{"tool_name":"Read","tool_response":"File does not exist.\nmore"},{"tool_name":"Bash","tool_response":"1 a.go\nb.go"}]}`,
			`{"tool_calls":[{"tool_name":"Read","tool_response":""},{"tool_name":"Read","tool_response":"File does not exist."},{"tool_name":"Bash","tool_response":"1 a.go\nb.go"}]}`},
		{"notebook", `{"tool_input":{"notebook_path":"n","new_source":"x"},"tool_name":"NotebookEdit","tool_response":{"original_file":"x","updated_file":"y"}}`,
			`{"tool_input":{"notebook_path":"n","new_source":""},"tool_name":"NotebookEdit","tool_response":{"original_file":"","updated_file":""}}`},
		{"white space goes", "{ \"a\" : [ 1 , {\t} ] }\n", `{"a":[1,{}]}`},
		{"only the first value", `{"a":1}{"b":2}`, `{"a":1}`},
	}
	for _, tt := range tests {
		if got := shrunk(t, tt.in); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestFieldsThatTheClientReads(t *testing.T) {
	s, ok := shrink(strings.NewReader(`{"hook_event_name":"PreToolUse","cwd":"/a \u00e9\ud83d\ude00\\b\"","x":{"cwd":"/no","hook_event_name":"no"}}`))
	if !ok || s.event != "PreToolUse" || s.cwd != "/a é😀\\b\"" {
		t.Errorf("event %q, cwd %q, ok %v", s.event, s.cwd, ok)
	}
}

func TestLongTextIsCut(t *testing.T) {
	long := strings.Repeat("path/of/é.go\\n", 40_000)
	out := shrunk(t, `{"tool_name":"Bash","tool_response":{"stdout":"`+long+`","stderr":"`+long+`","tail":"kept"},"end":"kept"}`)
	if len(out) < maxText || len(out) > maxText+3*freeText {
		t.Errorf("%d bytes kept of %d, want about %d", len(out), 2*len(long), maxText)
	}
	if !strings.Contains(out, `"tail":"kept"},"end":"kept"}`) {
		t.Error("what follows the long text is gone")
	}
	var v struct {
		Response struct{ Stdout, Stderr string } `json:"tool_response"`
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || strings.ContainsRune(v.Response.Stdout, '\ufffd') {
		t.Errorf("cut inside a character: %v", err)
	}
	if len(v.Response.Stderr) < freeText/2 {
		t.Errorf("the second text keeps %d bytes, want its free %d", len(v.Response.Stderr), freeText)
	}
}

func TestEarlyEnd(t *testing.T) {
	whole := `{"a":"x","tool_name":"Bash","n":12,"tool_response":{"stdout":"a\u00e9b","ok":true,"list":[1,[2,{"k":"v"}]],"file":{"content":"body"}},"z":null}`
	for i := range len(whole) {
		s, ok := shrink(strings.NewReader(whole[:i]))
		if !ok {
			if i > 9 {
				t.Fatalf("nothing kept of %s", whole[:i])
			}
			continue
		}
		if !json.Valid(s.out) {
			t.Fatalf("cut at %d: %s", i, s.out)
		}
		if strings.Contains(string(s.out), "body") {
			t.Fatalf("cut at %d: the body went out: %s", i, s.out)
		}
	}
	for _, tt := range [][2]string{
		{`{"a":1,"b":2`, `{"a":1}`},
		{`{"a":1,"b":{"c":"d","e":"f`, `{"a":1,"b":{"c":"d"}}`},
		{`{"a":[1,2,"x"`, `{"a":[1,2,"x"]}`},
		{`{"a":1,"content":"x`, `{"a":1,"content":""}`},
	} {
		if got := shrunk(t, tt[0]); got != tt[1] {
			t.Errorf("%s → %s, want %s", tt[0], got, tt[1])
		}
	}
}

func TestHostilePayloads(t *testing.T) {
	for name, in := range map[string]string{
		"deep":         `{"a":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `,"b":1}`,
		"many members": `{"a":[` + strings.Repeat("1,", 4<<20) + `1],"b":1}`,
		"endless key":  `{"` + strings.Repeat("k", 4<<20) + `":1}`,
		"many keys":    `{` + strings.Repeat(`"k":"`+strings.Repeat("v", 500)+`",`, 10_000) + `"z":1}`,
		"long number":  `{"a":1,"n":` + strings.Repeat("9", 1<<20) + `}`,
		"20 MB body":   `{"tool_name":"Read","tool_response":{"file":{"content":"` + strings.Repeat("x", 20<<20) + `"}},"b":1}`,
	} {
		s, ok := shrink(strings.NewReader(in))
		if !ok || !json.Valid(s.out) || len(s.out) > maxOut+maxText {
			t.Errorf("%s: %d bytes, ok %v, valid %v", name, len(s.out), ok, json.Valid(s.out))
		}
	}
	for _, in := range []string{"", "null", "[1]", `"x"`, "{", "{}", `{"a"}`, `{"a":}`, `{,}`, `{"a":1,}`, `{"a":[1,]}`, `{"a":01}`,
		`{"a":+1}`, `{"a":nul}`, `{"a":"\x"}`, `{"a":"\u00g0"}`, "{\"a\":\"\x01\"}", `{"a":1 "b":2}`, `{a:1}`, "\x00\x01"} {
		if s, ok := shrink(strings.NewReader(in)); ok {
			t.Errorf("%q was sent as %s", in, s.out)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"tool_name":"Read","tool_response":"1 x"}`, `{"tool_calls":[{"tool_name":"Edit","tool_response":"a\nb"}]}`,
		`{"a":"\ud83d\ude00","b":[-0.5e+10,true,null,{}]}`, `{"file":{"content":["x"]},"cwd":"é"}`, `{"a":"\u00`, `{"":{"":[[]]}}`} {
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, in []byte, slow bool) {
		var r io.Reader = bytes.NewReader(in)
		if slow {
			r = iotest.OneByteReader(r)
		}
		s, ok := shrink(r)
		if ok && !json.Valid(s.out) {
			t.Fatalf("%q → invalid %q", in, s.out)
		}
		var v map[string]any
		if json.Unmarshal(in, &v) != nil || len(v) == 0 || len(in) > maxKey {
			return
		}
		if !ok {
			t.Fatalf("valid %q is not sent", in)
		}
		var w map[string]any
		if err := json.Unmarshal(s.out, &w); err != nil {
			t.Fatal(err)
		}
		if a, b := keys(v, ""), keys(w, ""); !slices.Equal(a, b) && !emptied(in) {
			t.Fatalf("%q → %q: keys %q, want %q", in, s.out, b, a)
		}
	})
}

// emptied: some container was dropped or is nested too deep, so keys inside it are gone by intent.
func emptied(in []byte) bool {
	for _, k := range []string{"content", "tring", "ile", "atch", "iff", "ource", "base64", "cells", `\u`} {
		if bytes.Contains(in, []byte(k)) {
			return true
		}
	}
	return bytes.Count(in, []byte("{"))+bytes.Count(in, []byte("[")) >= maxDepth
}

func keys(v any, at string) (out []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(append(out, at+"."+k), keys(v[k], at+"."+k)...)
		}
	case []any:
		for i, e := range v {
			out = append(out, keys(e, fmt.Sprint(at, i))...)
		}
	}
	return out
}

func BenchmarkScan(b *testing.B) {
	body := `{"session_id":"s","cwd":"/r","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/r/a.go"},"tool_response":{"type":"text","file":{"filePath":"/r/a.go","content":"` +
		strings.Repeat(`line of code \"x\"\n`, 2_500_000/19) + `"}}}`
	for name, in := range map[string]string{"body 2.5MB": body, "bash 2.5MB": strings.Replace(strings.Replace(body, `"Read"`, `"Bash"`, 1), `"content"`, `"stdout"`, 1)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if s, ok := shrink(strings.NewReader(in)); !ok || len(s.out) > maxText+4<<10 {
					b.Fatal(ok, len(s.out))
				}
			}
		})
	}
}
