package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPage: a help text becomes a page with all of its parts, and its subcommands are found.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../testdata/help/aoa-hooks.txt")
	if err != nil {
		t.Fatal(err)
	}
	h := parse(string(text))
	var names []string
	for _, c := range h.commands {
		names = append(names, c.path[0])
	}
	if d := cmp.Diff([]string{"install", "print", "remove", "status"}, names); d != "" {
		t.Error(d)
	}
	page := h.roff(command{[]string{"hooks"}, "connect aOa"})
	for _, want := range []string{".TH \"AOA-HOOKS\" 1", "\naoa\\-hooks \\- connect aOa\n.SH USAGE\n.nf\n  aoa hooks [flags]\n",
		".SH DESCRIPTION\n.nf\nInstalls aOa in", ".SH FLAGS\n.nf\n  \\-h, \\-\\-help   help for hooks\n", ".SH SEE ALSO\n.nf\naoa(1)\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in:\n%s", want, page)
		}
	}
	if strings.Contains(page, "for more information") {
		t.Error("the page names --help")
	}
}

// TestEscape: a line of a help text is never a command of roff.
func TestEscape(t *testing.T) {
	if got, want := escape(".so x\n'br\na\\b -f"), "\\&.so x\n\\&'br\na\\eb \\-f"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
