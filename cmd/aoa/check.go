package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// errLacking ends aoa suggest --check after it has printed files.
var errLacking = fmt.Errorf("the change may lack files")

// checkHelp says how to use the check in a hook.
var checkHelp = fmt.Sprintf(`--check is for a pre-commit hook or CI. It prints what a change lacks: first each line outside of it that
uses a name or a file which the change removes or renames, then the files without which it is incomplete
with a probability of at least the setting threshold plus %.2f. The change is that of --staged, of the
commits --range BASE..HEAD, of FILEs, or else of the working tree. --markdown prints a table for the
comment of a pull request.

It exits 1 if it printed anything, and 0 if not. If aOa cannot check, because no daemon runs or the
history is not learned, it says so on stderr and exits 0: that must not stop a commit. With --strict it
is an error.`, prefetch.WarnMargin)

// unchecked lets a check end well that could not judge. Findings and a wrong command line stay errors.
func (a *app) unchecked(err error) error {
	var f *failure
	var refused *api.Error
	switch {
	case err == nil, errors.Is(err, errLacking), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &f) && f.code == exitUsage, errors.As(err, &refused) && (refused.Code == api.CodeNoFile ||
		refused.Code == api.CodeBad):
		return err
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	a.talk("not checked: %s", text)
	return nil
}

// checkChange prints what a change lacks.
func (a *app) checkChange(ctx context.Context, r api.PartnersRequest, markdown bool) error {
	st, err := call(ctx, a, api.Status, api.None{})
	if err != nil {
		return err
	}
	if unread := st.Commits == 0 && st.Import.State != "done"; unread || st.Import.State == "failed" {
		return fail(exitUnread, "aoa status", "the history is not learned: %s", progress(st.Import))
	}
	th, err := call(ctx, a, api.Threshold, api.None{})
	if err != nil {
		return err
	}
	if r.Least = prefetch.Sure(th.Configured); r.Staged {
		r.Index = os.Getenv("GIT_INDEX_FILE")
	}
	ans, err := call(ctx, a, api.Partners, r)
	if err != nil {
		return err
	}
	lacks := map[event.Path]bool{}
	err = a.answer(struct {
		api.PartnersAnswer
		Root event.Root `json:"root"`
	}{ans, a.root}, func() {
		switch {
		case markdown:
			a.checkTable(ans)
			return
		case len(ans.Files) == 0 && r.Staged:
			a.talk("nothing is staged")
		case len(ans.Files) == 0:
			a.talk("nothing is changed")
		}
		a.gone(ans.Broken)
		for _, b := range index.BrokenLines(ans.Broken) {
			fmt.Fprintf(a.out, "%s:%d: %s\n", a.display(b.File), b.Line, event.Path(b.Text).Display())
		}
		for _, p := range ans.Partners {
			fmt.Fprintf(a.out, "%s: changed with %s in %d of %d commits\n", a.display(p.File), a.display(p.With), p.Both, p.Of)
		}
	})
	for _, b := range ans.Broken {
		lacks[b.File] = true
	}
	for _, p := range ans.Partners {
		lacks[p.File] = true
	}
	if err == nil && len(lacks) > 0 {
		hint := ""
		if r.Staged {
			hint = "nothing to add? git commit --no-verify"
		}
		err = fail(exitFailed, hint, "%w: %d", errLacking, len(lacks))
	}
	return err
}

// gone says what the change removes, by file.
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

// checkTable prints a table of Markdown, nothing if the change lacks nothing.
func (a *app) checkTable(ans api.PartnersAnswer) {
	if len(ans.Broken)+len(ans.Partners) == 0 {
		return
	}
	fmt.Fprint(a.out, "| not in this change | why |\n| --- | --- |\n")
	for _, b := range ans.Broken {
		from := ""
		if b.Name != string(b.In) {
			from = " from " + code(b.In.Display())
		}
		fmt.Fprintf(a.out, "| %s | uses %s, which is gone%s: %s |\n", code(fmt.Sprintf("%s:%d", b.File.Display(), b.Line)),
			code(event.Path(b.Name).Display()), from, code(event.Path(b.Text).Display()))
	}
	for _, p := range ans.Partners {
		fmt.Fprintf(a.out, "| %s | changed with %s in %d of %d commits |\n", code(p.File.Display()), code(p.With.Display()),
			p.Both, p.Of)
	}
}

// code is a text as code in a table of Markdown, which nothing in it can end.
func code(text string) string {
	return "`" + strings.NewReplacer("`", "'", "|", "\\|").Replace(text) + "`"
}
