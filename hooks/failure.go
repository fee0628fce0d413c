package hooks

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// failures has the reasons why a call can fail. They are tried in this order, and the first one
// applies whose section of tables.txt has a phrase that occurs in the message.
var failures = []event.Failure{event.FailDir, event.FailNoMatch, event.FailUnread, event.FailTooLarge, event.FailDenied,
	event.FailMissing}

// classify returns why a call failed, judging by the tool's message.
func classify(problem string) event.Failure {
	problem = strings.ToLower(event.Clip(problem, 2048))
	for _, why := range failures {
		if slices.ContainsFunc(sections()[string(why)], func(s string) bool { return strings.Contains(problem, s) }) {
			return why
		}
	}
	return event.FailOther
}

// failedText reports whether a text begins the way tools report errors to a model.
func failedText(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return slices.ContainsFunc(sections()["failed results"], func(head string) bool { return strings.HasPrefix(text, head) })
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
// may still be running or was stopped. A result of Claude Code that is only a text proves nothing,
// because it does not report every failed command as a failure. Gemini CLI and Qwen Code write a
// status other than 0 as the last line of the output, but the command may have printed that line
// itself.
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
	response := objectOf(c.Response)
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
	words, _ := c.Response.(string) // a result in words means that the command was moved to the background
	return !strings.Contains(event.Clip(words, 400), "background")
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
	return regexp.MustCompile(strings.Join(sections()["failing lines"], "|"))
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
