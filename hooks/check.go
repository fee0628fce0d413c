package hooks

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// failureLine matches lines in which test programs, compilers and linters name what failed.
var failureLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`^FAIL(?:\s|$)`, `^--- FAIL: `, `\[(?:build|setup) failed\]`, // go; jest and vitest: "FAIL file"
		`^(?:FAILED|ERROR) \S+\.py`, `^=*\s*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s`, // pytest
		`^(?:FAIL|ERROR): \S+ \(\S+\)$`, `^FAILED \((?:failures|errors)=`, // unittest
		`^[✕×] `, `^(?:Tests|Test Suites|Test Files):?\s.*\b[1-9]\d* failed\b`, // jest, vitest
		`^[1-9]\d* failing\b`,                                                  // mocha
		`^test \S+ \.\.\. FAILED$`, `^test result: FAILED`, `^error\[E\d+\]: `, // cargo
		`^rspec \S`, `^\d+ examples?, [1-9]\d* failures?`, // rspec
		`^\d+\) \S+::\S+`, `^Tests: \d+, .*(?:Failures|Errors): [1-9]`, // phpunit
		`^\[ERROR\]\s+(?:\w+\.)+\w+:\d+\b`, `Tests run: \d+, Failures: (?:[1-9]|\d+, Errors: [1-9])`, // maven
		`^\S+ > .+ FAILED$`, `^(?:\[\w+\] )?BUILD FAIL(?:ED|URE)`, // gradle
		`^\d+ - \S+ \((?:Failed|Timeout|SEGFAULT|Not Run)`, `\b[1-9]\d* tests? failed out of `, // ctest
		`\berror TS\d+: `, `✖ \d+ problems? \([1-9]\d* errors?`, // tsc, eslint
		`^\S+:\d+(?::\d+)?: (?:fatal )?error\b`, // compilers
	}, "|"))
})

var colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// maxFailureLine is the longest line that is kept, in bytes. Longer ones are left out.
const maxFailureLine = 160

// failureLines returns the first lines of an output that name failures, at most event.MaxFailing,
// without colors and surrounding space. Lines with a secret are left out.
func failureLines(text string) (out []string) {
	text = text[max(0, len(text)-maxOutput):]
	for line := range strings.Lines(colors.ReplaceAllString(text, "")) {
		line = strings.TrimSpace(line)
		if len(out) < event.MaxFailing && len(line) <= maxFailureLine && failureLine().MatchString(line) &&
			!slices.Contains(out, line) && redact.Text(line) == line {
			out = append(out, line)
		}
	}
	return out
}
