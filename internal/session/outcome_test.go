package session

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestOutcome: a check passed only where the status of the line is its own, and failed only where it may be.
func TestOutcome(t *testing.T) {
	const said = "Passing since the last change: pytest."
	for line, want := range map[string]string{
		"pytest":                                         said,
		"cd web && CI=1 timeout 60 pytest":               "Passing since the last change: pytest.",
		"go generate; pytest":                            said,
		"ruff check . && pytest":                         said,
		"( cd web && pytest )":                           said,
		"time pytest":                                    said,
		"pytest; echo \"exit $?\"":                       "",
		"pytest; git status":                             "",
		"pytest\ngit status":                             "",
		"pytest && git status":                           "",
		"pytest &":                                       "",
		"pytest & wait":                                  "",
		"nohup pytest > log 2>&1 &":                      "",
		"setsid pytest":                                  "",
		"pytest | tail -5":                               "",
		"pytest || true":                                 "",
		"ls || pytest":                                   "",
		"! pytest":                                       "",
		"if pytest; then echo ok; fi":                    "",
		"[ -f x ] || exit 0; pytest":                     "",
		"trap 'exit 0' EXIT; pytest":                     "",
		"pytest() { true; }; pytest":                     "",
		"for f in a b; do pytest $f; done":               "",
		"while true; do pytest; done":                    "",
		"out=$(pytest); echo $out":                       "",
		"coproc pytest":                                  "",
		"pytest $(":                                      "",
		"echo " + strings.Repeat("x", 4096) + "; pytest": "",
	} {
		r := newContextFixture(t)
		s := &tape{session: "s"}
		r.log(t, s.ask("go").do(event.KindEdit, "a.py").run(line, true).events...)
		if got := passing(r.context(t, Request{Session: "s"}).Text()); got != want {
			t.Errorf("%.60q: %q, want %q", line, got, want)
		}
	}
	r := newContextFixture(t)
	s := &tape{session: "s"}
	s.ask("go").do(event.KindEdit, "a.py")
	s.add(event.Event{Body: event.Call{Act: event.ActRun, Tool: "Bash", Text: "pytest", Failure: "unknown"}})
	r.log(t, s.events...)
	if got := passing(r.context(t, Request{Session: "s"}).Text()); got != "" {
		t.Errorf("of whose end nothing is known: %q", got)
	}
}

func passing(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Passing ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
