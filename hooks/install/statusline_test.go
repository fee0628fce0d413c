package install

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// statusShapes are settings files with a status line of their own.
var statusShapes = map[string]string{
	"plain":     `{"statusLine":{"type":"command","command":"~/mine.sh"}}`,
	"with more": "{\n  // mine\n  \"statusLine\": {\"type\": \"command\", \"command\": \"~/mine.sh --it's\", \"padding\": 0,},\n}\n",
	"quotes, escapes": "{\n\t\"statusLine\": { /* a */ \"command\" : \"printf '%s\\t\\u0027\\u00e9\\/' \\\"$PWD\\\"\" " +
		"/* b */ },\r\n\t\"z\": 1\n}",
	"escaped at ends":  `{"statusLine":{"command":"'a'\u0027\u0027'\\u0027\\"}}`,
	"looks like quote": `{"statusLine":{"command":"echo '\\'' x '\\'\u0027'"}}`,
	"bom":              "\xef\xbb\xbf{\"statusLine\":{\"command\":\"x\"}}",
}

// TestStatusLineComesBackToTheByte: whatever the file looked like, remove gives back what install found.
func TestStatusLineComesBackToTheByte(t *testing.T) {
	all := map[string]string{}
	for name, text := range shapes {
		all[name] = text
	}
	for name, text := range statusShapes {
		all["own: "+name] = text
	}
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "settings.json")
			check(t, os.WriteFile(file, []byte(text), 0o600))
			if c, err := AddStatusLine(file, Options{}); err != nil || c.Done != Changed {
				t.Fatalf("install: %+v, %v", c, err)
			}
			once, err := os.ReadFile(file)
			check(t, err)
			if c, err := AddStatusLine(file, Options{}); err != nil || c.Done != Unchanged {
				t.Fatalf("install again: %+v, %v", c, err)
			}
			std, err := hujson.Standardize([]byte(strings.TrimPrefix(string(once), "\ufeff")))
			check(t, err)
			var got struct {
				StatusLine struct{ Command string } `json:"statusLine"`
			}
			check(t, json.Unmarshal(std, &got))
			if !strings.Contains(got.StatusLine.Command, "exec aoa statusline") {
				t.Errorf("installed: %s", once)
			}
			if c, err := RemoveStatusLine(file, Options{}); err != nil || c.Done != Changed {
				t.Fatalf("remove: %+v, %v", c, err)
			}
			if back, err := os.ReadFile(file); err != nil || string(back) != text {
				t.Errorf("%v\nwas  %q\nwith %q\nback %q", err, text, once, back)
			}
			if c, err := RemoveStatusLine(file, Options{}); err != nil || c.Done != Absent {
				t.Errorf("remove again: %+v, %v", c, err)
			}
		})
	}
}

// TestStatusLineRunsTheirs: a real shell runs the wrapped command with the same words, with and without aoa.
func TestStatusLineRunsTheirs(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	check(t, os.WriteFile(filepath.Join(bin, "aoa"), []byte("#!"+sh+"\nshift 2; exec "+sh+" -c \"$1\"\n"), 0o700))
	for _, raw := range []string{`"echo one"`, `"printf '%s' \"it's\""`, `"printf %s 'a'\u0027b\u0027'c\\d'"`,
		`"echo '\\'' x"`} {
		var theirs, ours string
		check(t, json.Unmarshal([]byte(raw), &theirs))
		check(t, json.Unmarshal([]byte(wrapStatus(raw)), &ours))
		want, _ := exec.Command(sh, "-c", theirs).CombinedOutput() // one of them is no command: it fails in the same words
		for _, path := range []string{os.Getenv("PATH"), bin + string(os.PathListSeparator) + os.Getenv("PATH")} {
			cmd := exec.Command(sh, "-c", ours)
			cmd.Env = []string{"PATH=" + path}
			if got, _ := cmd.CombinedOutput(); string(got) != string(want) && len(want) > 0 &&
				!strings.Contains(string(want), "rror") && !strings.Contains(string(want), "nterminated") {
				t.Errorf("%s printed %q, want %q, through %s", theirs, got, want, ours)
			}
		}
	}
}

// TestStatusLineRefusals: what cannot be edited safely is left as it is.
func TestStatusLineRefusals(t *testing.T) {
	for _, text := range []string{``, `{`, `[]`, `{"statusLine":7}`, `{"statusLine":{}}`, `{"statusLine":{"command":""}}`,
		`{"statusLine":{"type":"text","command":"x"}}`,
		`{"statusLine":{"command":"a","command":"b"}}`, `{"statusLine":{"command":"a"},"statusLine":{"command":"b"}}`} {
		file := filepath.Join(t.TempDir(), "settings.json")
		check(t, os.WriteFile(file, []byte(text), 0o600))
		if _, err := AddStatusLine(file, Options{}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, want a refusal", text, err)
		}
		if c, err := RemoveStatusLine(file, Options{}); err != nil || c.Done != Absent { // aoa remove goes on
			t.Errorf("%s: remove: %+v, %v", text, c, err)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != text {
			t.Errorf("%s became %s (%v)", text, now, err)
		}
	}
	file := filepath.Join(t.TempDir(), "settings.json")
	check(t, os.WriteFile(file, []byte(`{"statusLine":{"command":"aoa statusline | tee x"}}`), 0o600))
	if c, err := AddStatusLine(file, Options{}); err != nil || c.Done != Unchanged {
		t.Errorf("install over one by hand: %+v, %v", c, err)
	}
	if _, err := RemoveStatusLine(file, Options{}); !errors.Is(err, ErrRefused) {
		t.Errorf("remove of one by hand: %v, want a refusal", err)
	}
}

// TestStatusLineInANewFile: a file that was made for it goes with it.
func TestStatusLineInANewFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".claude", "settings.json")
	if c, err := RemoveStatusLine(file, Options{}); err != nil || c.Done != Absent {
		t.Fatalf("remove of nothing: %+v, %v", c, err)
	}
	if c, err := AddStatusLine(file, Options{}); err != nil || c.Done != Created {
		t.Fatalf("install: %+v, %v", c, err)
	}
	if c, err := Add(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Changed {
		t.Fatalf("hooks beside it: %+v, %v", c, err)
	}
	if c, err := Remove(agentOf(t, "claude"), file, Options{}); err != nil || c.Done != Changed {
		t.Fatalf("hooks out again: %+v, %v", c, err)
	}
	if c, err := RemoveStatusLine(file, Options{}); err != nil || c.Done != Deleted {
		t.Fatalf("remove: %+v, %v", c, err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
