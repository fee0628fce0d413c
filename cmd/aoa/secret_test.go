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

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPasswordStaysIn: the password of the shared server is where it was put and nowhere else: in
// no log, no answer, no error and no list of processes, whether the server takes it, refuses it, or
// is gone.
func TestPasswordStaysIn(t *testing.T) {
	noRace(t)
	t.Parallel()
	const right, wrong = "correct-horse-battery", "staple-of-the-horse"
	s := newServer(t, "--requirepass", right)
	d := newSandbox(t, 16)
	d.env = append(d.env, "AOA_REPO_ID=secret")
	d.must("init")
	config := d.place().Settings()
	for _, password := range []string{right, wrong} {
		for _, gone := range []bool{false, true} {
			if gone && password == wrong {
				continue // no one refuses it
			}
			addr, name := s.addr, "refused"
			if password == right {
				name = "taken"
			}
			if gone {
				addr, name = freeAddr(t), name+", gone"
			}
			d.must("config", "redis_url", fmt.Sprintf("redis://:%s@%s/0", password, addr))
			text, err := os.ReadFile(config)
			fault.Check(t, err)
			if !strings.Contains(string(text), password) {
				t.Fatalf("%s: the password is not in the settings, so nothing is tested", name)
			}
			d.must("daemon", "stop")
			d.must("daemon", "start")
			want := "redis://" + addr
			d.until(name+": the daemon has tried", func() bool {
				shared := d.logged("msg=\"the team's events are exchanged\" server=" + want)
				failed := d.logged("server=" + want)
				return name == "taken" && len(shared) > 0 || name != "taken" && len(failed) > 0
			})
			d.mum(name, right, wrong)
		}
	}
}

// mum looks for words where they must not be.
func (d *sandbox) mum(what string, secrets ...string) {
	d.Helper()
	look := func(where, text string) {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				d.Errorf("%s: %s has the password: %.300s", what, where, text)
			}
		}
	}
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"status", "--all"}, {"doctor"},
		{"doctor", "--json"},
		{"config"}, {"config", "--json"}, {"config", "redis_url"},
		{"stats", "metrics"}, {"log", "--json"}, {"stats", "files"}, {"suggest"}, {"--version"},
		{"config", "redis_url", "redis://:" + secrets[0] + "@h:x"},
		{"config", "redis_url", "gopher://:" + secrets[0] + "@h"}} {
		s := d.do(args...)
		look("aoa "+strings.Join(args[:min(2, len(args))], " "), s.out+s.err)
	}
	raw, err := json.Marshal(d.status())
	fault.Check(d, err)
	look("GET /v1/status", string(raw))
	fault.Check(d, filepath.WalkDir(d.place().Store, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if !os.IsNotExist(err) {
			look(path, string(text))
		}
		return nil
	}))
	if st, err := os.Stat(d.place().Settings()); err != nil || st.Mode().Perm()&0o077 != 0 {
		d.Errorf("%s: others may read the settings: %v, %v", what, st, err)
	}
	lists, err := filepath.Glob("/proc/[0-9]*/cmdline") // none elsewhere
	fault.Check(d, err)
	for _, name := range lists {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), "aoa") {
			look("the list of processes", string(text))
		}
	}
}

// secretShapes are commands; %s is the secret. Prompts quote them.
var secretShapes = []string{
	"password=%s ./orchardwork", "DB_PASS=%s make orchardwork", "MYSQL_PWD=%s mysqldump orchardwork", "PASS=%s orchardwork",
	"orchardwork --dsn 'Server=db;Uid=sa;pwd=%s;Encrypt=yes'",
	"orchardwork 'AccountName=shop;AccountKey=%s;EndpointSuffix=x'", "mysql -u root -p%s orchardwork",
	"sshpass -p %s ssh orchardwork", "redis-cli -a %s get orchardwork",
	"curl -u me:%s https://orchardwork.example", "docker login -u me -p %s orchardwork.example",
	"echo %s | docker login --password-stdin orchardwork.example", "htpasswd -b users.txt orchardwork %s",
	"openssl rsa -in orchardwork.pem -passin pass:%s", "psql postgres://orchardwork:%s@db/shop",
	"curl -H 'Authorization: Bearer %s' https://orchardwork.example",
	"curl -d '{\"user\":\"orchardwork\",\"password\":\"%s\"}' https://x.example",
	"aws configure set aws_secret_access_key %s --profile orchardwork", "app login --password %s orchardwork",
	"psql -c \"ALTER USER orchardwork WITH PASSWORD '%s'\"", "export API_TOKEN=%s; orchardwork --key $API_TOKEN",
	"grep -rn 'password=%s' orchardwork", "git commit -m 'orchardwork: secret_key: \"%s\"'",
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
	subject := "Zan4999zibar"
	d.write("server/wire.go", "package server\n")
	d.git("add", "-A")
	d.git("commit", "-qm", "orchardwork: DB_PASSWORD="+subject)
	secrets := []string{subject}
	for i := range secretShapes {
		secrets = append(secrets, secretWord(i))
	}
	past := d.transcript("Zan4998zibar")
	secrets = append(secrets, "Zan4998zibar")
	d.must("init")
	d.read()
	send := func(p map[string]any) {
		p["session_id"], p["cwd"] = "s1", d.dir
		raw, err := json.Marshal(p)
		fault.Check(t, err)
		if s := d.doWith(string(raw), "hook", "claude"); s.code != 0 {
			t.Fatalf("hook: exit %d: %s", s.code, s.err)
		}
	}
	tool := func(id, name string, input map[string]any) {
		send(map[string]any{"hook_event_name": "PostToolUse", "tool_name": name, "tool_use_id": id, "tool_input": input,
			"tool_response": map[string]any{"stdout": "ok"}})
	}
	send(map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	for i, shape := range secretShapes {
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
	d.until("all is logged", func() bool {
		events := d.log()
		has := func(id string) bool {
			for _, e := range events {
				if strings.HasPrefix(e.ID, id) {
					return true
				}
			}
			return false
		}
		return has("toolu_miss") && has("toolu_past")
	})
	look := func(where, text string) {
		for _, s := range secrets {
			if i := strings.Index(strings.ToLower(text), strings.ToLower(s)); i >= 0 {
				t.Errorf("%s has %s: …%.80q", where, s, text[max(0, i-30):])
			}
		}
	}
	printed := ""
	for _, args := range [][]string{{"log", "--json", "-n", "100000"}, {"log"}, {"reload", "list", "--json"},
		{"reload", "export"}, {"context", "--for", "prompt", "--prompt", "basket"}, {"session", "list", "--json"},
		{"cache", "list", "--all"},
		{"stage", "list", "--json"}, {"suggest", "--json"}, {"daemon", "start"}, {"status", "--json"}, {"stats",
			"sessions"}} {
		s := d.do(args...)
		printed += s.out
		look("aoa "+strings.Join(args, " "), s.out+s.err)
	}
	if !strings.Contains(printed, missed) || !strings.Contains(printed, "[redacted]") ||
		!strings.Contains(printed, "orchardwork") {
		t.Error("what was sent is not printed, so nothing was tested")
	}
	for _, e := range d.log() {
		if e.Kind() == event.KindCommit && strings.Contains(e.Text(), "DB_PASSWORD=") && !strings.Contains(e.Text(),
			"[redacted]") {
			t.Errorf("a subject is kept as %q", e.Text())
		}
	}
	secrets = append(secrets, prose...)
	d.noBytes("while the daemon runs", secrets)
	d.must("daemon", "stop")
	d.noBytes("after the daemon", secrets)
}

// noBytes looks for secrets in every file of the store and of the user's folders, and for a word
// that must be there.
func (d *sandbox) noBytes(when string, secrets []string) {
	d.Helper()
	files, word := 0, false
	for _, top := range []string{d.place().Store, filepath.Join(filepath.Dir(d.dir), "home")} {
		fault.Check(d, filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.Contains(path, "transcripts") {
				return err
			}
			raw, err := os.ReadFile(path)
			if os.IsNotExist(err) {
				return nil
			}
			files++
			raw = bytes.ToLower(raw)
			word = word || bytes.Contains(raw, []byte("orchardwork"))
			for _, s := range secrets {
				if bytes.Contains(raw, []byte(strings.ToLower(s))) {
					d.Errorf("%s %s has %s", when, filepath.Base(path), s)
				}
			}
			return err
		}))
	}
	if files < 4 || !word {
		d.Errorf("%s: %d files, the word is there: %v: nothing was tested", when, files, word)
	}
}

// transcript writes a recorded session with a secret and returns its folder.
func (d *sandbox) transcript(secret string) string {
	d.Helper()
	dir := filepath.Join(filepath.Dir(d.dir), "home", "transcripts")
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
		raw, err := json.Marshal(line)
		fault.Check(d, err)
		b.Write(append(raw, '\n'))
	}
	fault.Check(d, os.WriteFile(filepath.Join(dir, "past.jsonl"), b.Bytes(), 0o600))
	return dir
}
