package install

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// TestStatusLineComesBackToTheByte: whatever the file looked like, remove gives back what install found.
func TestStatusLineComesBackToTheByte(t *testing.T) {
	for name, text := range shapes {
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

// TestStatusLineRefusals: what cannot be edited safely is left as it is.
func TestStatusLineRefusals(t *testing.T) {
	for _, text := range []string{``, `{`, `[]`, `{"statusLine":7}`, `{"statusLine":{}}`, `{"statusLine":{"command":""}}`,
		`{"statusLine":{"command":"~/mine.sh"}}`, `{"statusLine":{"command":"a"},"statusLine":{"command":"b"}}`} {
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
