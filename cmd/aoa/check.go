package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// errLacking ends aoa suggest --check after it has printed files.
var errLacking = fmt.Errorf("the change may lack files")

// checkHelp says how to use the check in a hook.
var checkHelp = fmt.Sprintf(`--check is for a pre-commit hook or CI. It prints the files that usually change together with the FILEs
or the staged files, and are not among them. It prints those whose probability is at least the setting
threshold plus %.2f. It exits 1 if it printed a file, and 0 if not. If aOa cannot check, because no daemon
runs or the history is not learned, it says so on stderr and exits 0: that must not stop a commit. With
--strict it is an error.

  aoa suggest --staged --check`, prefetch.WarnMargin)

// unchecked lets a check end well that could not judge. Findings and a wrong command line stay errors.
func (a *app) unchecked(err error) error {
	var f *failure
	var refused *api.Error
	switch {
	case err == nil, errors.Is(err, errLacking), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &f) && f.code == exitUsage, errors.As(err, &refused) && refused.Code == api.CodeNoFile:
		return err
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	a.talk("not checked: %s", text)
	return nil
}

// lacking is why a change lacks a file.
func (a *app) lacking(p api.Partner) string {
	var why []string
	if p.Both > 0 {
		why = append(why, fmt.Sprintf("changed with %s in %d of %d commits", a.display(p.With), p.Both, p.Of))
	}
	if p.Uses != "" {
		why = append(why, fmt.Sprintf("still uses %s, which this change removes in %s", event.Path(p.Uses).Display(),
			a.display(p.RemovedIn)))
	}
	return strings.Join(why, "; ")
}

// checkChange prints what a change lacks.
func (a *app) checkChange(ctx context.Context, files []event.Path, limit int) error {
	if len(files) == 0 {
		return a.answer(api.PartnersAnswer{Files: files, Partners: []api.Partner{}}, func() { a.talk("nothing is staged") })
	}
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
	ans, err := call(ctx, a, api.Partners, api.PartnersRequest{Files: files, Limit: limit,
		Least: prefetch.Sure(th.Configured)})
	if err != nil {
		return err
	}
	err = a.answer(struct {
		api.PartnersAnswer
		Root event.Root `json:"root"`
	}{ans, a.root}, func() {
		for _, p := range ans.Partners {
			fmt.Fprintf(a.out, "%s: %s\n", a.display(p.File), a.lacking(p))
		}
	})
	if err == nil && len(ans.Partners) > 0 {
		err = fail(exitFailed, "nothing to add? git commit --no-verify", "%w: %d", errLacking, len(ans.Partners))
	}
	return err
}
