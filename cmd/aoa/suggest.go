package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/watcher"
)

func (a *app) suggest() *cobra.Command {
	var q event.Query
	var how suggestHow
	c := newCommand("suggest [FILE…]", "list the files that belong to a file, a task or your changes", nil, nil)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := exclusive(c); err != nil {
			return err
		}
		how.number = c.Flags().Changed("number")
		if how.listed = slices.Contains(args, "-"); how.listed {
			if len(args) > 1 {
				return usage("a single - stands alone: the FILEs then come from standard input")
			}
			var err error
			if args, err = readNames(a.stdin(c.Context())); err != nil {
				return err
			}
		}
		return a.suggestFiles(c.Context(), q, args, how)
	}
	f := c.Flags()
	f.VarP((*given)(&q.Prompt), "prompt", "p", "the task in words")
	f.BoolVar(&how.staged, "staged", false, "use the staged files as FILEs")
	f.IntVarP(&q.Limit, "number", "n", 5, "number of files, 1 to 100; with it, unlikely files are listed, too")
	f.BoolVar(&q.Explain, "explain", false, "print the probability and every reason")
	f.BoolVarP(&how.nul, "null", "0", false, "print only names, each with a NUL at its end, for xargs -0 and fzf --read0")
	f.BoolVar(&q.Tests, "tests", false, "print only the tests that go with the change, one per line, at most 20")
	f.BoolVar(&how.plain, "plain", false, "print only names, one per line")
	a.sessionFlag(c, &q.Session, "rank for this agent session")
	f.StringSliceVar(&q.Tags, "tag", nil, "intent tags; only the first 3 are used")
	return c
}

// exclusive returns a usage error if two flags of aoa suggest are given of which one would be
// ignored.
func exclusive(c *cobra.Command) error {
	for _, names := range []string{"plain", "null"} {
		if c.Flags().Changed(names) {
			if err := without(c, "--"+names, "json", "explain"); err != nil {
				return err
			}
		}
	}
	if c.Flags().Changed("tests") {
		return without(c, "--tests", "prompt", "session", "tag", "explain")
	}
	return nil
}

// suggestHow holds the flags of aoa suggest that are not part of the query, and what kind of
// question they make.
type suggestHow struct {
	staged, nul, plain, number bool
	listed                     bool // the names came from standard input
	// nothing is named, so the question is about the change, or else about recent work
	bare  bool
	words bool // the question has only words
}

func (a *app) suggestFiles(ctx context.Context, q event.Query, args []string, how suggestHow) error {
	if q.Limit < 1 || q.Limit > 100 {
		return usage("-n %d is out of range, use 1 to 100", q.Limit)
	}
	_, repo, err := a.client(ctx)
	if err != nil {
		return err
	}
	if err := a.suggestWhat(ctx, &q, args, how); err != nil {
		return err
	}
	if q.Tests {
		if q.Prompt != "" { // the arguments are words
			return usage("--tests takes FILEs, or nothing for your own change, but no task in words")
		}
		if !how.number {
			q.Limit = 0
		}
	}
	bounded, cancel := checkout.ForGit(ctx)
	defer cancel()
	if how.staged {
		staged, err := stagedFiles(bounded, repo, a.getenv("GIT_INDEX_FILE"))
		if err != nil {
			return err
		}
		q.Files = append(q.Files, staged...)
	}
	how.bare = len(q.Files) == 0 && q.Prompt == "" && q.Session == "" && len(q.Tags) == 0
	if how.bare {
		q.Files = a.changed(ctx, repo)
	}
	how.words = q.Prompt != "" && len(q.Files) == 0 && q.Session == "" && len(q.Tags) == 0
	asked := q
	asked.Worth = !a.json && !how.number
	asked.Explain = q.Explain || !a.json && (how.bare || how.words) // a word may be one of the weaker reasons
	ans, err := call(ctx, a, api.Rank, asked)
	if err != nil {
		return err
	}
	a.early(ans.Reading)
	if ans.Silent != "" {
		a.talk("the branch is not considered: %s", ans.Silent)
	}
	if a.json {
		return a.answer(struct {
			event.Answer
			Root event.Root `json:"root"`
		}{ans, repo.Root}, nil)
	}
	if q.Tests {
		if len(ans.Suggestions) == 0 {
			a.talk("no test is known to go with this change")
		}
		a.printNames(ans.Suggestions, how.nul)
		return nil
	}
	a.printSuggested(ans, q, how)
	return nil
}

// changed returns the changed files of the working tree. If none exist, the question is about
// recent work.
func (a *app) changed(ctx context.Context, repo *watcher.Repo) []event.Path {
	bounded, cancel := checkout.ForGit(ctx)
	defer cancel()
	files, err := repo.Changed(bounded)
	if err != nil {
		a.talk("the changed files are not considered: %v", err)
	}
	return files
}

// stagedFiles returns the files of the commit that is being prepared.
func stagedFiles(ctx context.Context, repo *watcher.Repo, index string) (out []event.Path, err error) {
	files, err := repo.WithIndex(index).Staged(ctx)
	if err == nil && len(files) == 0 {
		err = fail(exitFailed, "git add FILE…", "nothing is staged")
	}
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out, err
}

// printSuggested prints the answer to a question, or why it has no files.
func (a *app) printSuggested(ans event.Answer, q event.Query, how suggestHow) {
	ofBranch := ans.Branch.Name != "" && q.Prompt == ""
	idle := how.bare && len(q.Files) == 0 && !ofBranch
	listed := ans.Suggestions
	if !how.number {
		listed = worthListing(listed, idle, how.words)
	}
	var usual []event.Path
	for _, s := range worthListing(ans.Usual[:min(len(ans.Usual), mostUsual)], idle, how.words) {
		usual = append(usual, s.File)
	}
	lost := how.words && !slices.ContainsFunc(ans.Suggestions, ofWords)
	switch {
	case len(ans.Unknown) > 0:
		a.talk("nothing is known about %s", a.brief(strings.Join(ans.Unknown, ", "), 60))
	case lost:
		a.talk("nothing is known about these words")
	}
	switch {
	case lost:
		a.talk("hint: try other words, or aoa suggest FILE")
	case how.nul || how.plain:
		a.printNames(listed, how.nul)
	case len(listed)+len(usual) == 0:
		a.nothing(ans.Suggestions, q, how)
	default:
		if ofBranch {
			a.talk("%s", aboutBranch(ans.Branch))
		}
		a.suggestions(listed, q, !idle && len(q.Tags) == 0)
		if len(usual) > 0 {
			fmt.Fprintln(a.out, a.dim(usualLine(usual, a.display)))
		}
		if files := ans.Branch.Files; !ofBranch && len(files) > 0 {
			fmt.Fprintln(a.out, a.dim("changed on this branch: "+a.firstNames(files, 5)))
		}
	}
}

// mostUsual is the largest number of files in the line about files that change with almost
// everything.
const mostUsual = 5

// aboutBranch tells what an answer about a branch is based on.
func aboutBranch(b event.Branch) string {
	name, base := event.Path(b.Name).Display(), event.Path(b.Base).Display()
	if b.Commits == 0 {
		return fmt.Sprintf("%s has no commits since %s: judging by its name", name, base)
	}
	return fmt.Sprintf("%s changes %s since %s, in %s", name, plural(len(b.Files), "file"), base,
		plural(b.Commits, "commit"))
}

// suggestWhat adds the arguments to the query: as files, or as a prompt if they are prose.
func (a *app) suggestWhat(ctx context.Context, q *event.Query, args []string, how suggestHow) error {
	found, err := a.names(ctx, args...)
	if err != nil {
		return err
	}
	if len(args) > 0 && !how.staged && !how.listed && prose(q.Prompt, args, found) {
		q.Prompt = strings.TrimSpace(q.Prompt + " " + strings.Join(args, " "))
		a.talk("none of these words is a file: they are read as --prompt")
		return nil
	}
	if how.listed {
		found = a.leaveOut(found)
	}
	q.Files, err = a.files(found, false)
	unknown, ok := errors.AsType[*event.Refusal](err)
	bare := len(args) == 1 && !strings.ContainsAny(args[0], `/\.`) // more like a word than like a file
	if ok && (unknown.Hint == "" || bare) && q.Prompt == "" && !how.listed {
		unknown.Hint = "aoa suggest --prompt " + event.ShellWord(strings.Join(args, " ")) + ", if it is not a file"
	}
	return err
}

// Files that are less probable than leastListed and share fewer commits with the change than
// leastShared are listed only with -n.
const leastListed, leastShared = 0.05, 2

// worthListing leaves out files that are unlikely and have no evidence such as common commits,
// names, contents, or words of the prompt. If idle is true, there is no work in progress that the
// question could be about; then files of which only commits are known are left out, too, because
// they are noise.
func worthListing(all []event.Suggestion, idle, words bool) (out []event.Suggestion) {
	for _, s := range all {
		evident := s.Together != nil && s.Together.Both >= leastShared || s.Link != "" || words && ofWords(s)
		if (s.Score >= leastListed || evident) && (!idle || slices.ContainsFunc(s.Reasons, fromWork)) {
			out = append(out, s)
		}
	}
	return out
}

// fromWork reports whether a reason is about work in this clone, and not about commits or the name
// of a file.
func fromWork(r event.Reason) bool {
	switch r.Signal {
	case "recency_hour", "session_last", "session_back", "terms_rank", "folder_recent", "tags":
		return r.Value*r.Weight > 0
	}
	return false
}

// ofWords reports whether words of the prompt are a reason for the file.
func ofWords(s event.Suggestion) bool {
	return slices.ContainsFunc(s.Reasons, func(r event.Reason) bool {
		kind, _, _ := strings.Cut(r.Signal, "_")
		return r.Value*r.Weight > 0 &&
			slices.Contains([]string{"text", "terms", "topic", "pattern", "named", "mentioned", "calls", "asked"}, kind)
	})
}

// nothing prints that there is nothing to list, and what to do.
func (a *app) nothing(all []event.Suggestion, q event.Query, how suggestHow) {
	files := len(q.Files)
	switch {
	case how.bare && files == 0:
		a.talk("no recent work is known yet")
		a.talk("hint: aoa suggest FILE, or aoa suggest -p \"the task in words\"")
	case how.bare:
		a.talk("nothing is known to belong to your change of %s", plural(files, "file"))
	case files > 0 && q.Prompt == "" && len(all) == 0:
		a.talk("no other file is known to belong to %s", english.PluralWord(files, "it", "these files"))
		if files == 1 && !how.number {
			a.talk("hint: -n 5 lists files that are less likely, if there are any")
		}
	case len(all) > 0:
		a.talk("no file is likely, or possible")
		a.talk("hint: -n 5 lists the five likeliest")
	default:
		a.talk("nothing to suggest: too little is known about this question")
		a.talk("hint: aoa suggest FILE, or aoa status to see what was learned")
	}
}

// printNames prints only the names, as seen from the current folder.
func (a *app) printNames(list []event.Suggestion, nul bool) {
	for _, s := range list {
		switch name := a.near(s.File); {
		case nul:
			fmt.Fprint(a.out, name+"\x00")
		case a.terminal:
			fmt.Fprintln(a.out, event.Path(name).Display()) // an escape sequence in a name must not reach a terminal
		default:
			fmt.Fprintln(a.out, name)
		}
	}
}

// suggestions prints files, each with a word for its probability and with its evidence. calibrated
// tells whether the probabilities are meaningful for this question.
func (a *app) suggestions(list []event.Suggestion, q event.Query, calibrated bool) {
	var rows []string
	for _, s := range list {
		row := []any{s.After(a.display(s.File)), a.evidence(s, q)}
		if calibrated {
			row = slices.Insert(row, 1, any(event.Chance(s.Score)))
		}
		if calibrated && q.Explain {
			row = slices.Insert(row, 0, any(fmt.Sprintf("%3.0f%%", s.Score*100)))
		}
		rows = append(rows, cells(row...))
	}
	all, wide := split(rows)
	for i, row := range all {
		s, name := list[i], len(row)-2
		if calibrated {
			name--
		}
		a.print(a.broken(row, wide), wide, func(column int, cell string) string {
			switch {
			case column == name:
				return a.link(s.File, a.bold(cell))
			case column == len(row)-1:
				return a.dim(cell)
			case column > name:
				return a.shade(s.Score, cell)
			}
			return cell
		})
		if q.Explain {
			a.arithmetic(s)
		}
	}
}

// evidence returns the evidence for a file: the common commits, as "59 of 457 commits · 10 of the
// last 50", with the name of the other file if the question has several. If there are no common
// commits it returns the strongest reason.
func (a *app) evidence(s event.Suggestion, q event.Query) string {
	t := s.Together
	if t == nil {
		if s.Link != "" && len(q.Files) == 1 {
			return s.Link
		}
		return a.reasonText(s.Reason())
	}
	counts := strings.Replace(t.String(), ", ", " · ", 1)
	if s.Link != "" {
		counts = s.Link + " · " + counts
	}
	if len(s.Precedents) > 0 {
		counts += " · like this one: " + strings.Join(s.Precedents, ", ")
	}
	if len(q.Files) == 1 {
		return counts
	}
	return "with " + a.display(t.With) + ": " + counts
}

// link turns a name into a link to its file, on terminals.
func (a *app) link(p event.Path, name string) string {
	if !a.color || name == "" {
		return name
	}
	to := url.URL{Scheme: "file", Path: filepath.ToSlash(a.root.Abs(p))}
	return "\x1b]8;;" + to.String() + "\x1b\\" + name + "\x1b]8;;\x1b\\"
}

// reasonText returns a reason in words. The file that it names is given as seen from the current
// folder.
func (a *app) reasonText(r event.Reason) string {
	if r.With == "" {
		return r.Text
	}
	return strings.Replace(r.Text, r.With.Display(), a.display(r.With), 1)
}
