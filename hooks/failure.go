package hooks

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// failureMarks are searched in the lower-case message, in this order. The first that is found
// decides.
var failureMarks = []struct {
	why   event.Failure
	marks []string
}{
	{event.FailDir, []string{"eisdir", "is a directory"}},
	{event.FailNoMatch, []string{"string to replace not found", "string not found", "found multiple matches",
		"matches of the string to replace",
		"old_string", "failed to find expected lines", "failed to find context"}},
	{event.FailUnread, []string{"has not been read", "read it first", "modified since read",
		"been unexpectedly modified"}},
	{event.FailTooLarge, []string{"exceeds maximum", "too large", "exceeds the maximum", "maximum allowed"}},
	{event.FailDenied, []string{"doesn't want to proceed", "permission to use", "permission denied", "eacces", "eperm",
		"operation not permitted", "was rejected", "denied", "haven't granted", "blocked by"}},
	{event.FailMissing, []string{"no such file", "does not exist", "enoent", "file not found", "cannot find the path",
		"cannot find path",
		"cannot find the file", "cannot access", "path not found"}},
}

// classify returns why a call failed, judging by the tool's message.
func classify(problem string) event.Failure {
	problem = strings.ToLower(event.Clip(problem, 2048))
	for _, f := range failureMarks {
		if slices.ContainsFunc(f.marks, func(mark string) bool { return strings.Contains(problem, mark) }) {
			return f.why
		}
	}
	return event.FailOther
}

// failedText reports whether a text begins the way tools report errors to a model.
func failedText(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return slices.ContainsFunc([]string{"<tool_use_error>", "Error:", "error:", "Exit code ",
		"The user doesn't want to proceed",
		"Permission to use ", "File does not exist", "File has not been read", "String to replace not found", "EISDIR",
		"ENOENT", "EACCES",
		"InputValidationError", "<error>", "Claude requested permissions"},
		func(head string) bool { return strings.HasPrefix(text, head) })
}

// onlyMissing reports whether a command printed nothing but one line that says that a file does not
// exist.
func onlyMissing(text string) bool {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "\n<shellId: "); i > 0 {
		text = text[:i] // a line that Copilot adds
	}
	return len(text) < 1024 && !strings.Contains(text, "\n") &&
		strings.Contains(strings.ToLower(text), ": no such file or directory")
}

// exitStatus matches the exit status in the message about a failed command.
var exitStatus = regexp.MustCompile(`^(?:Error: )?Exit code (\d+)\b`)

// status returns the exit status of a shell call. It is "" if there is doubt, because the command
// may still be running or was stopped. For Claude Code the words of the result are ignored, because
// it does not report every failure as one. Gemini CLI and Qwen Code write a status other than 0 as
// the last line of the output, but the command may have printed that line itself.
func (s *CallContext) status(c ToolCall) string {
	_, fields := c.Response.(map[string]any)
	m := exitStatus.FindStringSubmatch(c.Problem)
	switch {
	case !c.Failed && s.ended(c) && (fields || s.Agent != "claude"):
		return "0"
	case c.Failed && m != nil && !strings.Contains(event.Clip(c.Problem, 200), "timed out") &&
		s.Agent != "gemini" && s.Agent != "qwen":
		return m[1]
	}
	return ""
}

// ended reports whether a shell call that did not fail is known to have succeeded: it ended, and
// its status is known. Claude Code reports a failed command with another event; other agents have
// to give the status.
func (s *CallContext) ended(c ToolCall) bool {
	response, _ := c.Response.(map[string]any)
	for _, key := range []string{"backgroundTaskId", "timedOutAfterMs", "returnCodeInterpretation"} {
		if v := response[key]; v != nil && v != "" {
			return false
		}
	}
	if c.Input.flag("run_in_background") || response["interrupted"] == true {
		return false
	}
	if s.Agent != "claude" {
		return exitCode(s.Agent, c.Response) == "0"
	}
	told, _ := c.Response.(string) // a result in words means that the command was moved to the background
	return !strings.Contains(event.Clip(told, 400), "background")
}

// failed returns the Call for a tool call that failed. It keeps paths of files that do not exist,
// because the hint rescue looks for the files that were meant.
func (s *CallContext) failed(act event.Act, c ToolCall, names ...string) event.Call {
	out := event.Call{Act: act, Failure: c.why}
	if out.Failure == "" {
		out.Failure = classify(c.Problem)
	}
	for _, name := range names {
		if p, ok := s.Files.Path(name, ""); ok {
			out.Paths = append(out.Paths, p)
		}
	}
	out.Paths = s.Files.Keep(out.Paths, event.MaxSeen)
	out.Seen = s.mentions(c.Problem, false)
	out.Tags = s.tags(event.KindFailed, nil, out.Paths)
	return out
}

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
