package hooks

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// githubToken is put together when the test runs, so that no file of this repository looks like it
// holds a secret.
var githubToken = "gh" + "p_" + strings.Repeat("aB3dE6", 6)

// TestSecretsOfCommands: what a command line says is kept only as far as the redacted whole still
// says it: no event has a secret as a text, a term or a path, not even by way of a variable. What a
// command assigns may be anything, so it gives no terms. A shell reads ":password => 'x'" as a
// redirection to x.
func TestSecretsOfCommands(t *testing.T) {
	const secret, value, key = "Zanzi" + "bar4711", "zanzibar", "z4Anz1iB4ar9"
	whole := func(events []event.Event) string { return string(marshal(t, events)) }
	terms := func(events []event.Event) (words string) {
		for _, e := range events {
			words += strings.Join(e.Terms(), " ") + " "
		}
		return words
	}
	for _, c := range []struct {
		says     func([]event.Event) string
		commands []string
	}{
		{whole, []string{"mysql --password " + secret + " orchard", "API_TOKEN=" + secret + "; orchard $API_TOKEN",
			"export SECRET=" + secret + "; grep -r $SECRET store", "curl -u me:" + secret + " orchard",
			"orchard <private>" + secret + "</private> x", "orchard --token=" + secret,
			"bash -c 'orchard --token " + secret + "'",
			"rails runner User.new :password => '" + secret + "'; cat store/store.go",
			"cat store/store.go; puts :password => 'Zanzi'\"bar4711\"", "echo a > store/x.go; echo :api_key => " + secret,
			"cat store/store.go; mv store/a.go --password " + secret,
			"rm --token=" + secret + " store/store.go password => " + secret,
			"cd store && echo :token => '" + secret + "' && cat basket.go", "cat store/basket.go > " + githubToken,
			"cat store/basket.go; cp store/basket.go " + githubToken + "/" + secret + ".go; echo password=" + secret}},
		{terms, []string{"orchard PIN=" + value, "PIN=" + value + " orchard", "export PIN=" + value + "; orchard $PIN",
			"orchard --pin=" + value, "orchard " + key, "orchard --pin " + key, "PIN=" + value + "; grep -r \"$PIN\" store",
			"orchard 7a616e7a69626172", "curl https://orchard.example/hook/" + key}},
	} {
		for _, command := range c.commands {
			got := strings.ToLower(c.says(bash(orchard(), orchardRoot, command, "")))
			for _, part := range []string{"anzi", "bar4711", "4anz", "7a61", strings.ToLower(githubToken[4:])} {
				if strings.Contains(got, part) {
					t.Errorf("%s: %s", command, got)
				}
			}
			if !strings.Contains(got, "orchard") && !strings.Contains(got, "store") {
				t.Errorf("%s says nothing: %s", command, got)
			}
		}
	}
	r := orchard()
	s := &CallContext{Repo: r, Files: r.Locator(orchardRoot), Agent: "claude", Session: "s", Time: r.Now()}
	events := s.Tool(ToolCall{Name: "Write", ID: "w",
		Input: members{"file_path": orchardRoot + "/store/" + githubToken, "content": "x"}})
	if all := whole(events); strings.Contains(all, githubToken) {
		t.Errorf("a file that is called as a token: %s", all)
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
