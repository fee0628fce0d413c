package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPasswordStaysIn: the password of the shared server is where it was put and nowhere else: in
// no log, no answer, no error and no list of processes, whether the server takes it, refuses it, or
// is gone.
func TestPasswordStaysIn(t *testing.T) {
	noRace(t)
	t.Parallel()
	const right, wrong = "correct-horse-battery", "staple-of-the-horse"
	server := miniredis.RunT(t)
	server.RequireAuth(right)
	addr := server.Addr()
	d := newSandbox(t, 16)
	d.env = append(d.env, "AOA_REPO_ID=secret")
	d.must("init")
	settings := d.place().Settings()
	for _, c := range []struct{ when, password, logged string }{
		{"taken", right, `msg="the team's events are exchanged" server=redis://` + addr},
		{"refused", wrong, "WRONGPASS"},
		{"gone", right, "refused"}, // the connection
	} {
		if c.when == "gone" {
			server.Close()
		}
		d.must("config", "redis_url", fmt.Sprintf("redis://:%s@%s/0", c.password, addr))
		text := fault.Must(os.ReadFile(settings))
		st, err := os.Stat(settings)
		if err != nil || st.Mode().Perm()&0o077 != 0 || !strings.Contains(string(text), c.password) {
			t.Fatalf("%s: the password is not in the settings, or others may read them: %v", c.when, err)
		}
		d.must("daemon", "stop")
		fault.Check(t, os.Truncate(filepath.Join(d.place().Store, "aoa.log"), 0))
		d.must("daemon", "start")
		d.until(c.when+": the daemon has tried", func() bool {
			log := fault.Must(os.ReadFile(filepath.Join(d.place().Store, "aoa.log")))
			return strings.Contains(string(log), c.logged)
		})
		d.mum(c.when, right, wrong)
	}
}

// mum looks for passwords where they must not be.
func (d *sandbox) mum(when string, secrets ...string) {
	d.Helper()
	look := func(where, text string) {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				d.Errorf("%s: %s has the password: %.300s", when, where, text)
			}
		}
	}
	for _, args := range [][]string{{"status", "--json"}, {"status", "--all"}, {"doctor"}, {"doctor", "--json"},
		{"config"}, {"config", "--json"}, {"config", "redis_url"}, {"stats", "metrics"}, {"log", "--json"},
		{"config", "redis_url", "redis://:" + secrets[0] + "@h:x"},
		{"config", "redis_url", "gopher://:" + secrets[0] + "@h"}} {
		s := d.do(args...)
		look("aoa "+strings.Join(args[:min(2, len(args))], " "), s.out+s.err)
	}
	for name, text := range files(d, d.place().Store) {
		look(name, string(text))
	}
	lists, err := filepath.Glob("/proc/[0-9]*/cmdline") // none elsewhere
	fault.Check(d, err)
	for _, name := range lists {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), "aoa") {
			look("the list of processes", string(text))
		}
	}
}

// files are the contents of all files below folders, by their names.
func files(d *sandbox, folders ...string) map[string][]byte {
	d.Helper()
	all := map[string][]byte{}
	for _, top := range folders {
		fault.Check(d, filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			raw, err := os.ReadFile(path)
			if os.IsNotExist(err) {
				return nil // it went meanwhile
			}
			all[path] = raw
			return err
		}))
	}
	return all
}

// secretShapes are commands; %s is the secret. Prompts quote them. Package redact tests many more.
var secretShapes = []string{
	"password=%s ./orchardwork", "curl -u me:%s https://orchardwork.example", "psql postgres://orchardwork:%s@db/shop",
	"export API_TOKEN=%s; orchardwork --key $API_TOKEN", "grep -rn 'password=%s' orchardwork",
	"git commit -m 'orchardwork: secret_key: \"%s\"'",
}

// secretWord is the i-th secret: letters alone, or letters and digits, so that no rule knows it by
// its looks.
func secretWord(i int) string {
	if i%2 == 0 {
		return "quill" + strings.Repeat(string(rune('a'+i)), 2) + "fen"
	}
	return fmt.Sprintf("Zan%dzibar", 4100+i)
}

// TestSecretsAreNowhere: secrets in prompts, commands, patterns, tasks of subagents, commit
// subjects, transcripts, labels and cached steps are in no file of the store and the state folder,
// while the daemon runs and after it, and in nothing that the program tells. What is known to be
// missed is there, so the test looks at the right places.
func TestSecretsAreNowhere(t *testing.T) {
	noRace(t)
	t.Parallel()
	d := newSandbox(t, 8)
	const missed = "quillmissfen" // letters alone between spaces: mostly code, not redacted
	// words that no rule takes for a secret, and that neither a file nor the list of common words
	// has
	prose := []string{missed, "quillprosefen", "quillglobfen", "quilltaskfen", "quillstagefen", "quillsearchfen", "zürichquill"}
	const subject, recorded = "Zan4999zibar", "Zan4998zibar"
	d.write("server/wire.go", "package server\n")
	d.git("add", "-A")
	d.git("commit", "-qm", "orchardwork: DB_PASSWORD="+subject)
	secrets := []string{subject, recorded}
	past := d.transcript(recorded)
	d.must("init")
	d.read()
	send := func(p map[string]any) {
		p["session_id"], p["cwd"] = "s1", d.dir
		raw, err := json.Marshal(p)
		fault.Check(t, err)
		_, err = d.send(api.Hook{Agent: "claude", Dir: d.dir, Payload: raw})
		fault.Check(t, err)
	}
	tool := func(id, name string, input map[string]any) {
		send(map[string]any{"hook_event_name": "PostToolUse", "tool_name": name, "tool_use_id": id, "tool_input": input,
			"tool_response": map[string]any{"stdout": "ok"}})
	}
	send(map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	for i, shape := range secretShapes {
		secrets = append(secrets, secretWord(i))
		text := fmt.Sprintf(shape, secretWord(i))
		send(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": fmt.Sprint("p", i),
			"prompt": "please run this for the basket:\n" + text + "\nand report"})
		tool(fmt.Sprint("toolu_", i), "Bash", map[string]any{"command": text})
	}
	last := secretWord(0)
	tool("toolu_grep", "Grep", map[string]any{"pattern": "password=" + last})
	tool("toolu_task", "Agent", map[string]any{"description": "basket", "prompt": "log in with DB_PASS=" + last})
	tool("toolu_search", "Grep", map[string]any{"pattern": "quillsearchfen", "glob": "*quillglobfen*"})
	tool("toolu_prose", "Agent", map[string]any{"description": "basket", "prompt": "say quilltaskfen at the door"})
	send(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": "prose",
		"prompt": "the door of orchardwork opens at quillprosefen, or get_quillprosefen(), else Zürichquill"})
	tool("toolu_miss", "Bash", map[string]any{"command": "orchardwork 'password = " + missed + "'"})
	send(map[string]any{"hook_event_name": "Stop"})
	d.must("suggest", "--prompt", "basket with password="+last)
	d.must("stage", "run", "login", "--", "true", "password="+last, "quillstagefen")
	if s := d.doWith("data", "cache", "put", "--session", "s1", "-d", "basket of password="+last); s.code != 0 {
		t.Fatalf("cache put: %s", s.err)
	}
	mustCall(d, api.Import, api.ImportRequest{Transcripts: past})
	var log string
	d.until("all is logged", func() bool {
		log = d.must("log", "--json", "-n", "100000")
		return strings.Contains(log, "toolu_miss") && strings.Contains(log, "toolu_past")
	})
	look := func(where, text string) {
		for _, s := range secrets {
			if i := strings.Index(strings.ToLower(text), strings.ToLower(s)); i >= 0 {
				t.Errorf("%s has %s: …%.80q", where, s, text[max(0, i-30):])
			}
		}
	}
	look("aoa log --json", log)
	for _, args := range [][]string{{"log"}, {"reload", "list", "--json"}, {"reload", "export"},
		{"context", "--for", "prompt", "--prompt", "basket"}, {"session", "list", "--json"}, {"cache", "list", "--all"},
		{"stage", "list", "--json"}, {"suggest", "--json"}, {"status", "--json"}, {"stats", "sessions"}} {
		s := d.do(args...)
		look("aoa "+strings.Join(args, " "), s.out+s.err)
	}
	for _, printed := range []string{missed, "[redacted]", "orchardwork", "DB_PASSWORD=[redacted]"} {
		if !strings.Contains(log, printed) {
			t.Errorf("%s is not in the log, so nothing was tested", printed)
		}
	}
	secrets = append(secrets, prose...)
	for _, when := range []string{"while the daemon runs", "after the daemon"} {
		whole, word := files(d, d.place().Store, d.path("../home")), false
		for name, raw := range whole {
			if !strings.Contains(name, "transcripts") {
				look(when+" "+name, string(raw))
				word = word || bytes.Contains(bytes.ToLower(raw), []byte("orchardwork"))
			}
		}
		if len(whole) < 5 || !word {
			t.Errorf("%s: %d files, the word is there: %v: nothing was tested", when, len(whole), word)
		}
		d.must("daemon", "stop")
	}
}

// transcript writes a recorded session with a secret and returns its folder.
func (d *sandbox) transcript(secret string) string {
	d.Helper()
	dir := d.path("../home/transcripts")
	fault.Check(d, os.MkdirAll(dir, 0o700))
	var b bytes.Buffer
	for i, line := range []map[string]any{
		{"type": "user", "promptId": "past",
			"message": map[string]any{"role": "user", "content": "orchardwork with DB_PASS=" + secret}},
		{"type": "assistant", "message": map[string]any{"role": "assistant",
			"content": []any{map[string]any{"type": "tool_use", "id": "toolu_past0123456789", "name": "Bash",
				"input": map[string]any{"command": "sshpass -p " + secret + " orchardwork"}}}}},
		{"type": "user", "message": map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_past0123456789", "content": "ok"}}}},
	} {
		line["sessionId"], line["cwd"], line["uuid"], line["timestamp"] = "past", d.dir, fmt.Sprint("u", i),
			fmt.Sprintf("2026-01-02T03:04:%02dZ", i)
		raw := fault.Must(json.Marshal(line))
		b.Write(append(raw, '\n'))
	}
	fault.Check(d, os.WriteFile(filepath.Join(dir, "past.jsonl"), b.Bytes(), 0o600))
	return dir
}
