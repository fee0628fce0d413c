package redact

import (
	"slices"
	"testing"
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
		if got := Terms(text, 32); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
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
		if got := CommandTerms(text, 32); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}
