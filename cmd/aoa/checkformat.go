package main

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// formats has the ways to print the answer of a check.
var formats = map[string]func(*app, *change.Answer){
	"text": (*app).checkText, "markdown": (*app).checkMarkdown, "github": (*app).checkGitHub, "sarif": (*app).checkSARIF,
}

func formatNames() []string { return slices.Sorted(maps.Keys(formats)) }

// evidence tells why a file is missing: counts of commits, and commits to look at, preferably those
// that are similar to this change.
func evidence(l change.Lack, show func(event.Path) string) string {
	text := l.Because(show)
	switch {
	case len(l.Precedents) > 0:
		text += " (like this one: " + strings.Join(l.Precedents, ", ")
		if l.MorePrecedents > 0 {
			text += fmt.Sprintf(" and %d more", l.MorePrecedents)
		}
		return text + ")"
	case len(l.Commits) > 0:
		return text + " (" + strings.Join(l.Commits, ", ") + ")"
	}
	return text
}

// usualLine names the files that change with almost everything, or returns "".
func usualLine(files []event.Path, show func(event.Path) string) string {
	if len(files) == 0 {
		return ""
	}
	return "often changed with everything: " + joined(files, ", ", show)
}

func usualFiles(ans *change.Answer) (files []event.Path) {
	for _, l := range ans.Usual {
		files = append(files, l.File)
	}
	return files
}

// checkText prints one line for each finding.
func (a *app) checkText(ans *change.Answer) {
	a.checkLines(ans, func(change.Lack) string { return "" })
}

// checkExplained prints the same lines. In front of each missing file is the probability that the
// change is incomplete without it.
func (a *app) checkExplained(ans *change.Answer) {
	a.checkLines(ans, func(l change.Lack) string { return fmt.Sprintf("%3.0f%%  ", l.Score*100) })
}

func (a *app) checkLines(ans *change.Answer, before func(change.Lack) string) {
	a.gone(ans.Broken)
	for _, b := range index.BrokenLines(ans.Broken) {
		fmt.Fprintf(a.out, "%s:%d: %s\n", a.display(b.File), b.Line, event.Path(b.Text).Display())
	}
	if ans.MoreBroken > 0 {
		fmt.Fprintf(a.out, "and %s\n", plural(ans.MoreBroken, "more line"))
	}
	for _, l := range ans.Missing {
		fmt.Fprintf(a.out, "%s%s: %s\n", before(l), l.After(a.display(l.File)), evidence(l, a.display))
	}
	if ans.MoreMissing > 0 {
		fmt.Fprintf(a.out, "and %d more\n", ans.MoreMissing)
	}
	if line := usualLine(usualFiles(ans), a.display); line != "" {
		fmt.Fprintln(a.out, a.dim(line))
	}
}

// gone prints which names the change removes, by file.
func (a *app) gone(broken []index.Broken) {
	var files []event.Path
	names := map[event.Path][]string{}
	for _, b := range broken {
		if !slices.Contains(files, b.In) {
			files = append(files, b.In)
		}
		if name := event.Path(b.Name).Display(); b.Name != string(b.In) && !slices.Contains(names[b.In], name) {
			names[b.In] = append(names[b.In], name)
		}
	}
	for _, f := range files {
		text := a.display(f) + " is gone"
		if n := names[f]; len(n) > 0 {
			text = strings.Join(n, ", ") + english.PluralWord(len(n), " is", " are") + " gone from " + a.display(f)
		}
		a.talk("%s", text)
	}
}

// checkMarkdown prints a table for a comment on a pull request. It prints nothing if there are no
// findings.
func (a *app) checkMarkdown(ans *change.Answer) {
	if ans.Findings() == 0 {
		return
	}
	show := func(p event.Path) string { return code(p.Display()) }
	fmt.Fprint(a.out, "| not in this change | why |\n| --- | --- |\n")
	for _, b := range ans.Broken {
		fmt.Fprintf(a.out, "| %s | %s: %s |\n", code(fmt.Sprintf("%s:%d", b.File.Display(), b.Line)), used(b, show),
			code(event.Path(b.Text).Display()))
	}
	if ans.MoreBroken > 0 {
		fmt.Fprintf(a.out, "| and %s | |\n", plural(ans.MoreBroken, "more line"))
	}
	for _, l := range ans.Missing {
		fmt.Fprintf(a.out, "| %s | %s |\n", code(l.After(l.File.Display())), evidence(l, show))
	}
	if ans.MoreMissing > 0 {
		fmt.Fprintf(a.out, "| and %d more | |\n", ans.MoreMissing)
	}
	if line := usualLine(usualFiles(ans), show); line != "" {
		fmt.Fprintf(a.out, "\n%s\n", line)
	}
}

// used tells which removed name a broken line uses.
func used(b index.Broken, show func(event.Path) string) string {
	text := "uses " + show(event.Path(b.Name)) + ", which is gone"
	if b.Name != string(b.In) {
		text += " from " + show(b.In)
	}
	return text
}

// code formats a text as code in a Markdown table. Nothing in the text can end the code.
func code(text string) string {
	return "`" + strings.NewReplacer("`", "'", "|", "\\|").Replace(text) + "`"
}

// remark is a finding in the form that formats for programs need.
type remark struct {
	rule string
	// The file at which the remark is shown. A missing file is not part of the change, so its
	// remark is shown at the file of the change that usually changes with it.
	file event.Path
	line int
	text string
}

// The rules that remarks are about.
const (
	ruleUsed    = "still-used"
	ruleMissing = "maybe-missing"
)

func remarks(ans *change.Answer) (out []remark) {
	for _, b := range ans.Broken {
		out = append(out, remark{ruleUsed, b.File, b.Line, used(b, event.Path.Display) + ": " + event.Path(b.Text).Display()})
	}
	for _, l := range ans.Missing {
		out = append(out, remark{ruleMissing, l.With, 1, l.After(l.File.Display()) + ": " + evidence(l, event.Path.Display)})
	}
	return out
}

// checkGitHub prints a GitHub workflow command for each finding, which becomes an annotation.
func (a *app) checkGitHub(ans *change.Answer) {
	for _, r := range remarks(ans) {
		fmt.Fprintf(a.out, "::warning file=%s,line=%d,title=%s::%s\n", property(string(r.file)), r.line,
			strings.ReplaceAll(r.rule, "-", " "), escaped(r.text))
	}
	if more := ans.MoreBroken + ans.MoreMissing; more > 0 {
		fmt.Fprintf(a.out, "::warning title=aoa check::and %d more findings\n", more)
	}
	if line := usualLine(usualFiles(ans), event.Path.Display); line != "" {
		fmt.Fprintf(a.out, "::notice title=aoa check::%s\n", escaped(line))
	}
}

// escaped and property escape a text for GitHub's workflow commands.
func escaped(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escaped(s))
}

// checkSARIF prints the findings in the Static Analysis Results Interchange Format 2.1.0.
func (a *app) checkSARIF(ans *change.Answer) {
	type object = map[string]any
	results := []object{}
	for _, r := range remarks(ans) {
		uri := url.URL{Path: string(r.file)}
		results = append(results, object{"ruleId": r.rule, "level": "warning", "message": object{"text": r.text},
			"locations": []object{{"physicalLocation": object{"region": object{"startLine": r.line},
				"artifactLocation": object{"uri": uri.String(), "uriBaseId": "%SRCROOT%"}}}}})
	}
	rule := func(id, text string) object { return object{"id": id, "shortDescription": object{"text": text}} }
	run := object{"results": results, "properties": object{"moreFindings": ans.MoreBroken + ans.MoreMissing},
		"tool": object{"driver": object{"name": "aoa", "informationUri": "https://github.com/aoa-dev/aoa",
			"version": version(), "rules": []object{
				rule(ruleUsed, "A line uses what the change removes."),
				rule(ruleMissing, "A file that usually changes with this one is not part of the change.")}}}}
	out := encoder(a.out)
	out.SetIndent("", "  ")
	_ = out.Encode(object{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"runs": []object{run}})
}
