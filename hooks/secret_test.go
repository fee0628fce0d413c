package hooks

import (
	"strings"
	"testing"
)

// githubToken is put together when the test runs, so that no file of this repository looks like it
// holds a secret.
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

// TestCommandWordsAreNoValues: what a command assigns may be anything, so it gives no terms, not
// even by way of a variable; nor does what looks like a key.
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

// TestSecretsAreNoPaths: what redaction takes out of a command line or of the name of a file is no
// path of an event. A shell reads ":password => 'x'" as a redirection to x.
func TestSecretsAreNoPaths(t *testing.T) {
	secret := "Zanzi" + "bar4711"
	for _, command := range []string{"rails runner User.new :password => '" + secret + "'; cat store/store.go",
		"cat store/store.go; puts :password => 'Zanzi'\"bar4711\"", "echo a > store/x.go; echo :api_key => " + secret,
		"cat store/store.go; mv store/a.go --password " + secret, "rm --token=" + secret + " store/store.go password => " + secret,
		"cd store && echo :token => '" + secret + "' && cat basket.go", "cat store/basket.go > " + githubToken,
		"cat store/basket.go; cp store/basket.go " + githubToken + "/" + secret + ".go; echo password=" + secret} {
		events := bash(orchard(), orchardRoot, command, "")
		all := strings.ToLower(string(marshal(t, events)))
		if strings.Contains(all, "anzi") || strings.Contains(all, "bar4711") || strings.Contains(all, "ab3de6") ||
			!strings.Contains(all, "store") {
			t.Errorf("%s: %s", command, all)
		}
	}
	r := orchard()
	s := &CallContext{Repo: r, Files: r.Locator(orchardRoot), Agent: "claude", Session: "s", Time: r.now()}
	events := s.Tool(ToolCall{Name: "Write", ID: "w",
		Input: arguments{"file_path": orchardRoot + "/store/" + githubToken, "content": "x"}})
	if all := string(marshal(t, events)); strings.Contains(all, githubToken) {
		t.Errorf("a file that is called as a token: %s", all)
	}
}
