package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// An agent may be started in a folder above several repositories. Each of its calls goes to the
// repository of the first file that the call names. Other events of the session go to the
// repositories that its calls went to; its start goes to none.

// Limits of the search for a repository.
const (
	maxNames    = 256  // names in a call, and entries of the folder
	maxName     = 4096 // bytes of a text; a longer one is not searched for names
	maxSessions = 16   // sessions started above the repository that a store remembers
)

// above delivers a payload if the agent's folder is in no repository.
func above(r *request) (answer []byte) {
	if _, err := discover(r.dir); err == nil {
		return nil
	}
	var p map[string]any
	_ = json.Unmarshal(r.payload, &p) // a payload that was cut is ignored
	session := ""
	for _, key := range []string{"session_id", "sessionId", "conversation_id", "conversationId"} {
		id, _ := p[key].(string)
		session = cmp.Or(session, id)
	}
	if session == "" {
		return nil
	}
	inputs := []any{p["tool_input"], p["toolArgs"], p["toolCall"], p["tool_calls"]}
	if slices.ContainsFunc(inputs, func(v any) bool { return v != nil }) {
		d, ok := touched(r.dir, inputs)
		if !ok {
			return nil
		}
		d.note(session)
		here := *r
		here.dir = d.dir
		return d.deliver(&here, true)
	}
	entries, _ := os.ReadDir(r.dir)
	for _, e := range entries[:min(len(entries), maxNames)] {
		dir := filepath.Join(r.dir, e.Name())
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue
		}
		if d, ok := daemonOf(dir); ok && slices.Contains(d.noted(), session) {
			here := *r
			here.dir = d.dir
			if got := d.deliver(&here, len(answer) == 0); len(answer) == 0 {
				answer = got
			}
		}
	}
	return answer
}

// deliver sends the request to the daemon, and returns the answer if asks is true.
func (d daemon) deliver(r *request, asks bool) []byte {
	wait, starts := Patience(runner(r.agent), r.event)
	if !asks {
		wait, starts = 0, false
	}
	return d.exchange(r, wait*time.Duration(Factor()), starts)
}

// touched returns the daemon of the repository that has the first file named in the inputs of
// calls.
func touched(dir string, inputs []any) (d daemon, ok bool) {
	tried := map[string]bool{}
	for _, name := range namesIn(inputs, nil) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if st, err := os.Stat(name); err != nil || !st.IsDir() {
			name = filepath.Dir(name)
		}
		if tried[name] || name == dir {
			continue
		}
		tried[name] = true
		if d, ok = daemonOf(name); ok {
			return d, true
		}
	}
	return d, false
}

// namesIn collects possible names of files: the words in the texts of a value. Texts that are
// contents of files are left out.
func namesIn(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		if len(v) <= maxName {
			out = append(out, v)
			out = append(out, strings.FieldsFunc(v,
				func(c rune) bool { return strings.ContainsRune(" \t\n'\"`;&|()<>=", c) })...)
		}
	case []any:
		for _, e := range v {
			out = namesIn(e, out)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch strings.ToLower(strings.ReplaceAll(key, "_", "")) {
			case "content", "oldstring", "newstring", "codecontent", "targetcontent", "replacementcontent", "edits",
				"description", "toolresponse", "name", "toolname":
			default:
				out = namesIn(v[key], out)
			}
		}
	}
	return out[:min(len(out), maxNames)]
}

// noteFile returns the file that lists the sessions that were started above the repository and
// whose calls went to this store, one per line, the newest last.
func (d daemon) noteFile() string { return filepath.Join(d.Store, "hook-above") }

func (d daemon) noted() []string {
	b, _ := regularfile.Read(d.noteFile(), regularfile.NoLinks, maxSessions*maxName)
	return strings.Fields(string(bytes.TrimSpace(b)))
}

func (d daemon) note(session string) {
	known := d.noted()
	if slices.Contains(known, session) || len(session) > maxName/8 {
		return
	}
	known = append(known[max(0, len(known)-maxSessions+1):], session)
	text := strings.Join(known, "\n") + "\n"
	_ = atomicfile.WriteBytes(d.noteFile(), atomicfile.Options{Mode: 0o600, Unsynced: true}, []byte(text))
}
