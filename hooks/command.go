package hooks

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/redact"
)

// command turns a call of a shell tool into events, in the order of the command line. The last
// event gets the files that the result named, because the agent saw them only after it. A command
// line that is not understood is still one run event.
func (s *CallContext) command(c ToolCall) []event.Body {
	line := redact.Private(event.Clip(commandText(c.Input), maxCommand))
	if strings.TrimSpace(line) == "" {
		return nil
	}
	if c.Failed && !ran(c) {
		out := s.failed(event.ActRun, c)
		out.Text, out.Named = store(line, event.MaxText), s.mentions(line, false)
		return []event.Body{out}
	}
	dir := ""
	if at := c.Input.text("workdir"); at != "" {
		dir = s.Files.Abs(at, "")
	}
	r := s.follow(line, dir, c)
	done, missing := completed(r.Ops, c)
	ops, redacted := merge(done), newRedacted(line)
	var out []event.Body
	if files := s.missed(append(missing, reported(line, c, r.End)...), r.Missing, c); len(files) > 0 {
		out = append(out, event.Call{Act: event.ActRun, Failure: event.FailMissing, Paths: files,
			Tags: s.tags(event.KindFailed, nil, files)})
	}
	for _, op := range ops {
		out = append(out, s.bodyOf(op, c, redacted, r.Programs))
	}
	if len(out) == 0 || c.Failed && len(ops) == 0 {
		out = append(out, s.bodyOf(shell.Op{Kind: event.KindRun}, c, redacted, r.Programs))
	}
	if last, ok := out[len(out)-1].(event.Call); ok {
		last.Listing = lists(ops)
		if !r.Self {
			last.Seen = s.mentions(c.result(), last.Listing, resultDirs(r)...)
		}
		out[len(out)-1] = last
	}
	return append(out, s.written(ops, c)...)
}

// follow finds out what a command line did. PowerShell is not parsed; its lines only name files.
func (s *CallContext) follow(line, dir string, c ToolCall) shell.Result {
	if c.Name == "PowerShell" {
		return shell.Result{Ops: []shell.Op{{Kind: event.KindRun, Named: s.mentions(line, false)}}}
	}
	return shell.Follow(s.Files, shell.Line{Text: line, Dir: dir})
}

// commandText returns the command line of a shell tool's call.
func commandText(in members) string {
	if text := in.text("command", "cmd"); text != "" {
		return text
	}
	if list := in.texts("command"); len(list) > 0 {
		return shell.Join(list)
	}
	return ""
}

// ran reports whether a failed call was started at all. Denied, interrupted and invalid calls were
// not.
func ran(c ToolCall) bool {
	return c.why == "" && (strings.HasPrefix(c.Problem, "Exit code") || strings.HasPrefix(c.Problem, "Error: Exit code") ||
		strings.Contains(event.Clip(c.Problem, 200), "timed out") || strings.HasPrefix(c.Problem, "Command failed") ||
		slices.Contains([]event.Failure{event.FailMissing, event.FailDir},
			classify(c.Problem))) // only a command that ran finds that out
}

// merge joins neighboring runs into one, because "make && make test" is one piece of work.
func merge(ops []shell.Op) (out []shell.Op) {
	for _, op := range ops {
		n := len(out)
		if op.Kind == event.KindRun && n > 0 && out[n-1].Kind == event.KindRun {
			b := &out[n-1]
			b.Named = append(b.Named, op.Named...)
			b.Words += " " + op.Words
			b.Listing = b.Listing || op.Listing
			continue
		}
		out = append(out, op)
	}
	return out
}

// lists reports whether the output of the operations is mainly names, or lines after a name: some
// operation lists, and none prints the content of a file.
func lists(ops []shell.Op) bool {
	return slices.ContainsFunc(ops, func(op shell.Op) bool { return op.Listing }) &&
		!slices.ContainsFunc(ops, func(op shell.Op) bool { return op.Kind == event.KindRead && !op.Silent })
}

// redacted is a command line without its secrets, and the words in it that may be stored. The words
// of operations are expanded, so "mysql --password x", or $PASSWORD, becomes a bare x that
// redact.Text would not recognize. So only words that are left in the redacted line are stored, and
// none that occurs only after "=".
type redacted struct {
	text   string
	whole  bool            // nothing was removed
	terms  map[string]bool // terms of text
	values map[string]bool // terms of values that text assigns and that occur nowhere else in it
}

// leastSecret is the least length, in bytes, of a word that is removed everywhere in a line after
// redaction has removed it at one place.
const leastSecret = 8

func newRedacted(command string) redacted {
	r := redacted{text: redact.Text(command), terms: map[string]bool{}, values: map[string]bool{}}
	for word := range strings.FieldsFuncSeq(command, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) {
		if left := strings.Count(r.text, word); len(word) >= leastSecret && left > 0 && left < strings.Count(command, word) {
			r.text = strings.ReplaceAll(r.text, word, redact.Mark) // a secret elsewhere in the line
		}
	}
	r.whole = r.text == command
	for _, t := range redact.CommandTerms(r.text, maxCommand) {
		r.terms[t] = true
	}
	if strings.Contains(r.text, "=") {
		for _, t := range redact.Terms(r.text, maxCommand) {
			r.values[t] = !r.terms[t]
		}
	}
	return r
}

// allowed returns the terms of a text that may be stored.
func (r redacted) allowed(text string) []string {
	return slices.DeleteFunc(redact.CommandTerms(event.Clip(text, maxCommand), event.MaxTerms), func(t string) bool {
		return r.values[t] || !r.whole && !r.terms[t]
	})
}

// unquote removes the quotes of a shell from a line.
var unquote = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// secretPaths returns a function that tells which paths of a call are secrets: those that redaction
// changes, and those that lost a part when the command line was redacted. A shell reads
// ":password => 'x'" as a redirection to a file x.
func secretPaths(line string) func(event.Path) bool {
	clean := unquote.Replace(redact.Text(line))
	line = unquote.Replace(line)
	return func(p event.Path) bool {
		return redact.Text(string(p)) != string(p) || slices.ContainsFunc(strings.Split(string(p), "/"),
			func(part string) bool { return strings.Contains(line, part) && !strings.Contains(clean, part) })
	}
}

// hide removes the paths of an event that are secrets.
func hide(e *event.Event, secret func(event.Path) bool) {
	if r, ok := e.Body.(event.Rename); ok && (slices.ContainsFunc(r.From, secret) || slices.ContainsFunc(r.To, secret)) {
		e.Body = event.Rename{}
	}
	e.ChangePaths(func(list *[]event.Path) { *list = slices.DeleteFunc(*list, secret) })
}

// bodyOf returns the body for one operation of a command. programs are those of the whole line.
func (s *CallContext) bodyOf(op shell.Op, c ToolCall, line redacted, programs []shell.Program) event.Body {
	out := event.Call{Act: event.Act(op.Kind), Paths: op.Paths, Named: s.Files.Keep(op.Named, event.MaxSeen)}
	switch op.Kind {
	case event.KindSearch:
		out.Failure = statusOf(c)
		if line.whole || strings.Contains(line.text, op.Pattern) {
			out.Text = store(op.Pattern, event.MaxText)
		}
		out.Terms = line.allowed(op.Pattern + " " + op.Words)
	case event.KindRun:
		if out.Failure = statusOf(c); out.Failure == "" && !s.ended(c) {
			out.Failure = event.FailUnknown
		}
		out.Text = store(line.text, event.MaxText)
		out.Looks = slices.ContainsFunc(programs, shell.Program.Looks)
		if out.Checks = slices.ContainsFunc(programs, shell.Program.Checks); out.Checks {
			if slices.ContainsFunc(programs, func(p shell.Program) bool { return p.Alone && p.Checks() }) {
				out.Exit = s.status(c)
			}
			if out.Exit != "0" {
				out.Failing = failureLines(c.result())
			}
		}
		out.Terms = line.allowed(cmp.Or(op.Words, line.text))
	}
	out.Tags = s.tags(op.Kind, out.Terms, slices.Concat(out.Paths, out.Named))
	return out
}

// completed returns the operations that succeeded, judging by the exit status and the messages of
// the command, and the operands of the others that named no file. If a file was only guessed from
// the end of its name, it does not count as read by a command that failed or printed nothing.
func completed(ops []shell.Op, c ToolCall) (done []shell.Op, missing []shell.Operand) {
	text := c.result()
	nothing := c.Response != nil && strings.TrimSpace(text) == ""
	for _, op := range ops {
		why := event.Failure("")
		if op.Operand.Name != "" {
			why = refusal(text, op.Operand.Name)
		}
		guessed := op.Guessed && (c.Failed || op.Kind == event.KindRead && nothing)
		if why == "" && !guessed {
			done = append(done, op)
		} else if why == event.FailMissing {
			missing = append(missing, op.Operand)
		}
	}
	return done, missing
}

// maxMessage is the longest line, in bytes, that may be a command's message.
const maxMessage = 1024

// refusal returns why a command could not open an operand, judging by its messages; "" if they
// report nothing.
func refusal(text, operand string) event.Failure {
	for line := range strings.Lines(text) {
		if len(line) <= maxMessage && contains(line, operand) {
			if why := classify(line); why == event.FailMissing || why == event.FailDir || why == event.FailDenied {
				return why
			}
		}
	}
	return ""
}

// contains reports whether a line contains the name, and not only as a part of a longer name.
func contains(line, name string) bool {
	part := func(c byte) bool {
		return c == '_' || c == '.' || c == '-' || c == '/' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	for from := 0; ; {
		i := strings.Index(line[from:], name)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(name)
		if (begin == 0 || !part(line[begin-1])) && (end == len(line) || !part(line[end])) {
			return true
		}
		from = begin + 1
	}
}

// missed returns the files that a command failed to find, for a rescue: those that its messages
// name, and operands that are not known files.
func (s *CallContext) missed(named, unknown []shell.Operand, c ToolCall) (files []event.Path) {
	if !c.Failed {
		return nil
	}
	if classify(c.Problem) == event.FailMissing {
		named = append(named, unknown...)
	}
	for _, o := range named {
		p, ok := s.Files.Path(o.Name, o.Dir)
		if ok && strings.Contains(c.Problem, o.Name) && !slices.Contains(files, p) {
			files = append(files, p)
		}
	}
	return s.Files.Keep(files, event.MaxSeen)
}

// missingName matches the name in a message that a file does not exist, as written by pytest, git,
// ls, python, node, and programs whose messages begin with their own name.
var missingName = index.LazyRegexp(`file or directory not found: (\S+)|pathspec '([^']+)' did not match|` +
	`path '([^']+)' does not exist in|ambiguous argument '([^']+)': unknown revision or path|` +
	`can(?:not|'t) (?:access|open)(?: file)? '([^']+)'|Cannot find module '([^']+)'|` +
	`^(?:[a-z]+): (\S+): (?:IO error |No such file)`)

// reported returns the files in a command line that a message reports as missing.
func reported(line string, c ToolCall, dir string) (out []shell.Operand) {
	for message := range strings.Lines(c.Problem) {
		if len(message) > maxMessage {
			continue
		}
		if m := missingName().FindStringSubmatch(message); m != nil {
			name, _, _ := strings.Cut(strings.Join(m[1:], ""), "::") // the name of a test may follow
			typed := func(w string) bool { return strings.HasSuffix(name, "/"+strings.Trim(w, `"'`)) }
			if path.Ext(name) != "" && (contains(line, name) || slices.ContainsFunc(strings.Fields(line), typed)) {
				out = append(out, shell.Operand{Name: name, Dir: dir})
			}
		}
	}
	return out
}

// resultDirs returns the folders that names in the result may be relative to, at most six.
func resultDirs(r shell.Result) (dirs []string) {
	var all []string
	for _, op := range r.Ops {
		all = append(all, op.Dirs...)
	}
	for _, dir := range append(all, r.Dir) {
		if dir = path.Clean(dir); index.IsAbs(dir) && !slices.Contains(dirs, dir) && len(dirs) < 6 {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// written returns edits of the files that the agent itself found to be changed by a command, if git
// does not have their content; otherwise git may have brought it. They come last, so that another
// delivery of the same call that lacks them numbers the other events alike.
func (s *CallContext) written(ops []shell.Op, c ToolCall) (out []event.Body) {
	var files []event.Path
	for _, name := range objectOf(c.Response).object("bashEditDiff").texts("changedFiles") {
		p, ok := s.Files.Path(name, "")
		changed := slices.ContainsFunc(ops, func(op shell.Op) bool {
			return op.Kind != event.KindRead &&
				slices.Contains(op.Paths, p)
		})
		if ok && !s.Files.Ignored(p) && len(files) < event.MaxSeen && !changed {
			files = append(files, p)
		}
	}
	if len(files) == 0 || s.Past || s.Repo.Written == nil {
		return nil
	}
	for _, p := range s.Repo.Written(files) {
		out = append(out, s.onFiles(event.KindEdit, p))
	}
	return out
}
