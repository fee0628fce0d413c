package client

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSqueeze: texts that decoders take stay as they are, up to a bound; what they do not take
// becomes what was meant.
func TestSqueeze(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "b\\", "c\"": [1, "\u00e9\\u12"]}`:   "",
		"{\n\t\"a\": 1\r\n}":                        "",
		"{\"a\": \"x\x01y\nz\tend\r\"}":             `{"a": "x\ny\nz\tend\r"}`,
		`"` + strings.Repeat("é", keepHead/2) + `"`: "",
	} {
		if want == "" {
			want = text
		}
		fault.Same(t, text[:min(len(text), 80)], string(squeeze([]byte(text))), want)
	}
}

// TestSqueezeCutsBetweenCharacters: whatever stands where a string is cut, the rest can be read,
// and begins and ends as the whole does.
func TestSqueezeCutsBetweenCharacters(t *testing.T) {
	for _, unit := range []string{"é", "€", "😀", `\\`, `\u00e9`, `\"`, "\x02"} {
		for shift := range 13 {
			text := `{"a":"` + strings.Repeat("x", shift) + strings.Repeat(unit, 3*keepHead/len(unit)) + `end","b":"last"}`
			got := string(squeeze([]byte(text)))
			var said struct{ A, B string }
			fault.Check(t, json.Unmarshal([]byte(got), &said))
			if said.B != "last" || !strings.HasSuffix(said.A, "end") || strings.ContainsRune(said.A, '\ufffd') ||
				len(got) > keepHead+2*keepTail+200 || !strings.Contains(said.A, "\n…\n") {
				t.Errorf("%s, %d: %d bytes, %.40q", unit, shift, len(got), said.A[max(0, len(said.A)-40):])
			}
		}
	}
}

func FuzzSqueeze(f *testing.F) {
	f.Add([]byte(`{"a":"\ud83d\"","b":[1,"\\"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := string(squeeze(text))
		if json.Valid(text) && len(text) < keepHead && got != string(text) {
			t.Errorf("%q became %q", text, got)
		}
		if json.Valid(bytes.TrimSpace(text)) && !json.Valid([]byte(got)) {
			t.Errorf("%q can be read, %q not", text, got)
		}
	})
}
