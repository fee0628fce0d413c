package hooks

import (
	"strings"
	"testing"
)

// githubToken is put together when the test runs, so that no file of this repository looks like it holds a secret.
var githubToken = "gh" + "p_" + strings.Repeat("aB3dE6", 6)

// What a command line's words say is kept only as far as the redacted whole still says it.
func TestCommandWordsRedacted(t *testing.T) {
	secret := "Zanzi" + "bar4711"
	for _, command := range []string{"mysql --password " + secret + " orchard",
		"API_TOKEN=" + secret + "; orchard $API_TOKEN", "export SECRET=" + secret + "; grep -r $SECRET store",
		"curl -u me:" + secret + " orchard", "orchard <private>" + secret + "</private> x", "orchard --token=" + secret,
		"bash -c 'orchard --token " + secret + "'"} {
		events := bash(orchard(), orchardRoot, command, "")
		all := strings.ToLower(string(marshal(t, events)))
		if len(events) == 0 || strings.Contains(all, "zanzi") || strings.Contains(all, "bar4711") ||
			!strings.Contains(all, "orchard") && !strings.Contains(all, "store") {
			t.Errorf("%s: %s", command, all)
		}
	}
}

// A token that the cut would halve is taken out before the cut.
func TestStoreCutsAfterRedacting(t *testing.T) {
	token := githubToken
	got := store(strings.Repeat("x", 4090)+" "+token, 4096)
	if strings.Contains(got, token[:5]) || len(got) > 4096 {
		t.Errorf("…%q", got[4080:])
	}
}

// TestCommandWordsAreNoValues: what a command assigns may be anything, so it gives no terms, not even by way of a
// variable; nor does what looks like a key.
func TestCommandWordsAreNoValues(t *testing.T) {
	for _, command := range []string{"orchard PIN=zanzibar", "PIN=zanzibar orchard", "export PIN=zanzibar; orchard $PIN",
		"orchard --pin=zanzibar", "orchard z4Anz1iB4ar9",
		"orchard --pin z4Anz1iB4ar9", "PIN=zanzibar; grep -r \"$PIN\" store", "orchard 7a616e7a69626172",
		"curl https://orchard.example/hook/z4Anz1iB4ar9"} {
		events := bash(orchard(), orchardRoot, command, "")
		words := ""
		for _, e := range events {
			words += strings.Join(e.Terms(), " ") + " "
		}
		if strings.Contains(words, "anz") || strings.Contains(words, "7a61") ||
			!strings.Contains(words, "orchard") && !strings.Contains(words, "store") {
			t.Errorf("%s: %s", command, words)
		}
	}
}
