package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestOutcome: a check passed only where the status of the line is its own, and failed only where it may be.
func TestOutcome(t *testing.T) {
	const said = "Passing since the last change: LINE."
	for line, want := range map[string]string{
		"pytest":                                         said,
		"cd web && CI=1 timeout 60 pytest":               said,
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
		if got := passing(r.context(t, Request{Session: "s"}).Text()); got != strings.Replace(want, "LINE", quote(plain(line)), 1) {
			t.Errorf("%.60q: %q, want %q", line, got, want)
		}
	}
	r := newContextFixture(t)
	s := &tape{session: "s"}
	s.ask("go").do(event.KindEdit, "a.py")
	s.add(event.Event{Body: event.Call{Act: event.ActRun, Tool: "Bash", Text: "pytest", Failure: "unknown"}})
	r.log(t, s.events...)
	fault.Same(t, "a session whose end is unknown", passing(r.context(t, Request{Session: "s"}).Text()), "")
}

// TestOutcomeByOutput: what the output says counts where it is that of the only check of the line.
func TestOutcomeByOutput(t *testing.T) {
	const said = "Passing since the last change: LINE."
	passed := event.Call{Check: event.CheckPassed}
	failed := event.Call{Check: event.CheckFailed, Failing: []string{"a.py::test_add", "<b> \"x\"", "c", "d"}}
	status := event.Call{Failure: event.FailStatus}
	const names = `("a.py::test_add", "‹b> 'x'", "c", 1 more test)`
	for _, c := range []struct {
		line string
		call event.Call
		want string
	}{
		{"pytest 2>&1 | tail -5", passed, said},
		{"pytest 2>&1 | tail -5", failed, "Failing: LINE " + names + "."},
		{"pytest | tee log | tail -5", failed, "Failing: LINE " + names + "."},
		{`pytest; echo "exit $?"`, failed, "Failing: LINE " + names + "."},
		{"pytest || true", failed, "Failing: LINE " + names + "."},
		{"pytest", event.Call{Check: event.CheckFailed, Failure: event.FailUnknown}, "Failing: LINE."},
		{"pytest", event.Call{Check: event.CheckPassed, Failure: event.FailUnknown}, said},
		{"pytest", event.Call{Check: event.CheckPassed, Failure: event.FailStatus}, "Failing: LINE."},
		{"pytest", event.Call{Check: event.CheckNone, Failure: event.FailStatus}, ""},
		{"pytest && deploy", event.Call{Check: event.CheckPassed, Failure: event.FailStatus}, ""},
		{"pytest | tail -5", status, ""},
		{"pytest | grep passed", passed, ""},
		{"pytest > log; tail log", failed, ""},
		{"pytest & cat log", failed, ""},
		{"ruff check .; pytest | tail", failed, ""},
	} {
		r := newContextFixture(t)
		s := &tape{session: "s"}
		c.call.Act, c.call.Tool, c.call.Text = event.ActRun, "Bash", c.line
		s.ask("go").do(event.KindEdit, "a.py").add(event.Event{Body: c.call})
		r.log(t, s.events...)
		got := ""
		for line := range strings.Lines(r.context(t, Request{Session: "s"}).Text()) {
			if strings.HasPrefix(line, "Passing ") || strings.HasPrefix(line, "Failing: ") {
				got += strings.TrimSpace(line)
			}
		}
		c.want = strings.Replace(c.want, "LINE", quote(plain(c.line)), 1)
		fault.Same(t, fmt.Sprintf("%s %+v", c.line, c.call), got, c.want)
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
