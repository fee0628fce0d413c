package index

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestTerms(t *testing.T) {
	for in, want := range map[string][]string{
		"fix the TCPServer in parse_config.go": {"tcp", "serv", "parse", "config"},
		"loginTimeout LoginTimeouts, 42 x":     {"login", "timeout"},
		"testing the tests":                    {"test"},
		"don't panic, it doesn’t help":         {"panic", "help"},
		"":                                     nil,
	} {
		fault.Same(t, in, Terms(in, 10), want)
	}
	if got := Terms(strings.Repeat("abc def ", 1000), 1); len(got) != 1 {
		t.Errorf("more than asked: %q", got)
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("HTTPServer löst aB1 \xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range Terms(s, 8) {
			if len(w) < 1 || len(w) > 64 || w != strings.ToLower(w) {
				t.Fatalf("%q gave %q", s, w)
			}
		}
	})
}
