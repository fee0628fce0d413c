package hooks

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// Lines by which the programs of a check say that something failed.
var failedLine = regexp.MustCompile(strings.Join([]string{
	`^FAIL(?:\s|$)`, `^\s*--- FAIL: `, `\[(?:build|setup) failed\]`, // go; jest and vitest: "FAIL file"
	`^=*\s*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s`, `^(?:FAILED|ERROR) \S+\.py`, // pytest
	`^FAILED \((?:failures|errors)=`,                                // unittest
	`^\s*(?:Tests|Test Suites|Test Files):?\s.*\b[1-9]\d* failed\b`, // jest, vitest
	`^\s+[1-9]\d* failing\b`,                                        // mocha
	`^test result: FAILED`, `^error(?:\[E\d+\])?: `,                 // cargo
	`^\d+ examples?, [1-9]\d* failures?`, `[1-9]\d* errors? occurred outside of examples`, // rspec
	`^(?:FAILURES|ERRORS)!$`, `^Tests: \d+, .*(?:Failures|Errors): [1-9]`, // phpunit
	`Tests run: \d+, Failures: (?:[1-9]|\d+, Errors: [1-9])`, `^(?:\[\w+\] )?BUILD FAIL(?:ED|URE)`, // maven, gradle
	`\b[1-9]\d* tests? failed out of `,           // ctest
	`\berror TS\d+: `, `^Found [1-9]\d* errors?`, // tsc
	`✖ \d+ problems? \([1-9]\d* errors?`, // eslint
}, "|"))

// Lines by which they say that all passed. go says it of each package: only its last line counts.
var (
	passedLine = regexp.MustCompile(strings.Join([]string{
		`^=*\s*(?:\d+ \w+, )*\d+ passed\b.* in [\d.]+s`, `^OK(?: \(.*\))?$`, `^\s*Tests:?\s+(?:\d+ \w+[,|] )*\d+ passed\b`,
		`^\s+\d+ passing\b`, `^test result: ok\.`, `^\d+ examples?, 0 failures`, `^(?:\[\w+\] )?BUILD SUCCESS`,
		`^100% tests passed`, `^Found 0 errors`,
	}, "|"))
	passedPackage = regexp.MustCompile(`^ok\s+\S+\s+(?:[\d.]+s|\(cached\))`)
)

// nothingChecked matches lines by which a shell or a program says that it checked nothing.
var nothingChecked = regexp.MustCompile(`^ERROR: file or directory not found: |^=*\s*no tests ran in [\d.]+s|` +
	`^(?:\S+: )*(?:line \d+: |\d+: )?\S+: (?:command not found|not found)$|^No tests found|No module named pytest$`)

// failingTest finds the name of a test that failed, in its only group that matched.
var failingTest = regexp.MustCompile(strings.Join([]string{
	`^\s*--- FAIL: (\S+)`,                                   // go
	`^(?:FAILED|ERROR) (\S+\.py(?:::.*?)?)(?: - .*)?$`,      // pytest
	`^(?:FAIL|ERROR): (\S+ \(\S+\))$`,                       // unittest
	`^\s*(?:✕|×) (.+?)(?: \(?\d+ ?m?s\)?)?$`,                // jest, vitest
	`^\s*FAIL\s+(\S+ > .+)$`,                                // vitest
	`^test (\S+) \.\.\. FAILED$`,                            // cargo
	`^\d+\) (\S+::\S+)`,                                     // phpunit
	`^rspec (\S+)`,                                          // rspec
	`^\[ERROR\]\s+((?:\w+\.)+\w+):\d+\b`,                    // maven
	`^(\S+ > .+) FAILED$`,                                   // gradle
	`^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Not Run)`, // ctest
}, "|"))

// mochaTest is a line of mocha's list of failures; the title of the test follows, indented deeper.
var mochaTest = regexp.MustCompile(`^\s+\d+\) (.+?):?$`)

var colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// maxTestName bounds the name of a test, in bytes. A longer one is left out.
const maxTestName = 100

// checkResult is what the output of a command says of the checks that it ran, if it ran any, and the names of the tests
// that failed.
func checkResult(checks bool, text string) (result event.Check, failing []string) {
	if !checks {
		return "", nil
	}
	text = text[max(0, len(text)-maxOutput):]
	last, list, ran, nothing, title := "", false, false, false, ""
	for line := range strings.Lines(colors.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, " \r\n")
		if line == "" {
			continue
		}
		last = line
		ran = ran || strings.HasPrefix(line, "Ran ") || strings.HasPrefix(line, "OK (") // else OK is anybody's word
		nothing = nothing || nothingChecked.MatchString(line)
		switch {
		case failedLine.MatchString(line):
			result = event.CheckFailed
			list = list || strings.HasSuffix(line, "failing")
		case result == "" && passedLine.MatchString(line) && (ran || !strings.HasPrefix(line, "OK")):
			result = event.CheckPassed
		}
		name := ""
		if m := failingTest.FindStringSubmatch(line); m != nil {
			name = strings.Join(m[1:], "")
		} else if m := mochaTest.FindStringSubmatch(line); m != nil && list {
			title = m[1]
		} else if title != "" {
			name, title = title+" "+strings.TrimSuffix(strings.TrimSpace(line), ":"), ""
		}
		if name = strings.TrimSpace(name); name != "" && len(name) <= maxTestName && len(failing) < event.MaxFailing &&
			!slices.Contains(failing, name) && redact.Text(name) == name {
			failing = append(failing, name)
		}
	}
	if result == "" && passedPackage.MatchString(last) {
		result = event.CheckPassed
	}
	if result == "" && nothing {
		result = event.CheckNone
	}
	if result != event.CheckFailed {
		failing = nil // a program that failed says so in a line of its own
	}
	return result, failing
}
