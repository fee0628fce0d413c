package redact

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"mend the basket in pick/picker.go":                  {"mend", "basket", "pick", "picker"},
		"deploy with password=hunter2 please":                {"deploy", "password"},
		"why does 3f786850e387550f break the basket":         {"break", "basket"},
		"session 3f2504e0-4f89-11d3-9a0c-0305e82c3301 fails": {"session", "fail"},
		"blob Zm9vYmFyQmF6UXV4Zm9vQmFy/abc+de== is wrong":    {"blob", "wrong"},
		"key aB3xK9mQ2rT5 for the basket":                    {"key", "basket"},
		"parseUTF8 and sha256sum in OAuth2Client, base64 x86_64": {"parse", "utf8", "sha256sum", "auth2", "client", "base64",
			"x86"},
		"the file db/20240115_add_users.sql and log4j2": {"user", "sql", "log4j2"},
		"getHTTPIDByURL in internal/redact/text_test.go (i18n)": {"httpid", "url", "internal", "redact", "text", "test",
			"i18n"},
		"openV2PackStream calls newSmartHTTPRepoServerV2": {"open", "pack", "stream", "call", "smart", "repo",
			"server"},
		"VGhpc0lzQVNlY3JldFZhbHVlV2l0aG91dERpZ2l0cw stays unsaid": {"stay", "unsaid"},
	} {
		fault.Same(t, text, Terms(text, 32), index.Terms(strings.Join(want, " "), 32))
	}
}

// TestCommandTerms: what is assigned in a command may be anything, so only its name is kept.
func TestCommandTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"make deploy REGION=north PIN=zanzibar":            {"deploy", "region", "pin"},
		"go test -run=TestBasket ./store":                  {"test", "run", "store"},
		"orchard --licence=\"zanzi bar\" --page 2 zoo='x'": {"orchard", "licence", "page", "zoo"},
		"grep -rn basket store":                            {"grep", "basket", "store"},
		"a == b && echo done":                              {"echo"},
	} {
		fault.Same(t, text, CommandTerms(text, 32), index.Terms(strings.Join(want, " "), 32))
	}
}

// TestRandom: most keys leave no piece of themselves among the terms, and the words of this
// repository's sources stay.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const low, hex = "abcdefghijklmnopqrstuvwxyz", "0123456789abcdef"
	any := low + strings.ToUpper(low) + "0123456789"
	for _, c := range []struct {
		from  string
		n     int
		share float64 // of keys that leave a piece
	}{{hex, 32, 0}, {any + "+/", 40, 0.02}, {any + "-_", 43, 0.02}, {any + "+/", 24, 0.05}, {low + "0123456789", 20, 0.2},
		{strings.ToUpper(low) + "234567", 32, 0.15}, {low, 24, 0.1}, {any, 12, 0.2}} {
		left := 0
		for range 1000 {
			key := make([]byte, c.n)
			for i := range key {
				key[i] = c.from[rng.IntN(len(c.from))]
			}
			if terms := Terms("value "+string(key), 32); len(terms) > 1 {
				left++
			}
		}
		if got := float64(left) / 1000; got > c.share {
			t.Errorf("%d of %.10s…: %v leave a piece, want at most %v", c.n, c.from, got, c.share)
		}
	}
	words, taken := 0, 0
	identifier := regexp.MustCompile(`[A-Za-z_]\w{7,}`)
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text := fault.Must(os.ReadFile(name))
		for _, w := range identifier.FindAllString(string(text), -1) {
			words++
			if random(w) {
				taken++
			}
		}
	}
	if taken*400 > words {
		t.Errorf("%d of %d words of the sources look random", taken, words)
	}
}

// TestSaid: of a long message the end is kept, as words, and nothing that is secret.
func TestSaid(t *testing.T) {
	end := "I would mend parsePrice in the basket next. token=ghp_0123456789abcdefghijABCDEFGHIJ012345 " +
		"<private>about zanzibar</private> Shall I?"
	got := Said("The lexer is done." + strings.Repeat(" Nothing else changed.", 40) + " " + end)
	for _, want := range []string{"mend", "basket", "price"} {
		if !slices.Contains(got.Terms, index.Stem(want)) {
			t.Errorf("%q is not kept: %q", want, got.Terms)
		}
	}
	for _, term := range got.Terms {
		if strings.Contains("lexer zanzibar", term) || strings.HasPrefix(term, "ghp") || strings.Contains(term, "0123") {
			t.Errorf("%q is kept", term)
		}
	}
	if !slices.Contains(got.Idents, "parseprice") || slices.Contains(got.Idents, "zanzibar") {
		t.Errorf("identifiers are %q", got.Idents)
	}
	fault.Same(t, "of no message", Said(""), event.Stop{})
	if long := Said(strings.Repeat("é", 1<<20)); len(long.Terms) > 1 {
		t.Errorf("%d words of one", len(long.Terms))
	}
}

// TestIdentifiersAreNoValues: keys and hashes in a text, and what a command assigns, are no
// identifiers.
func TestIdentifiersAreNoValues(t *testing.T) {
	const key = "a1B2c3D4e5F6g7"
	prompt := Identify(event.Prompt{Text: "call parseBasket with " + key + " and DB_PASS=quillfen"})
	run := Identify(event.Call{Act: event.ActRun, Text: "LICENCE=quillfen pickBasket --page 2 " + key})
	all := strings.ToLower(fmt.Sprint(prompt.(event.Prompt).Idents, run.(event.Call).Idents))
	if strings.Contains(all, strings.ToLower(key)) || strings.Contains(all, "quillfen") {
		t.Errorf("the event keeps %s", all)
	}
	if !strings.Contains(all, "parsebasket") || !strings.Contains(all, "pickbasket") || !strings.Contains(all, "licence") {
		t.Errorf("the event keeps only %s", all)
	}
	known := event.Prompt{Text: "call parseBasket", Idents: []string{"other"}}
	if got := Identify(known).(event.Prompt).Idents; len(got) != 1 || got[0] != "other" {
		t.Errorf("known identifiers became %q", got)
	}
}
