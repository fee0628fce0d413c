package main

import (
	"context"
	"fmt"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// errLacking ends aoa suggest --check when there is something to say; what it is was printed.
var errLacking = fmt.Errorf("the change may lack files")

// checkHelp is how to wire the check: an exit code other than exitLacks must not stop anybody's commit.
const checkHelp = `--check is for a pre-commit hook or CI. It prints what usually changes together with the FILEs or
the staged ones and is not among them, from the configured threshold + 0.15 on, and exits 5 if there is
anything, 0 if not. Every other exit code says that aOa could not tell, which is no reason to stop:

  command -v aoa >/dev/null 2>&1 || exit 0
  aoa suggest --staged --check || test $? -ne 5`

// checkChange prints what a change lacks.
func (a *app) checkChange(ctx context.Context, client *api.Client, files []event.Path, limit int) error {
	if len(files) == 0 {
		return a.answer(api.PartnersAnswer{Files: files, Partners: []api.Partner{}}, func() { a.talk("nothing is staged") })
	}
	th, err := api.Call(ctx, client, api.Threshold, api.None{})
	if err != nil {
		return err
	}
	ans, err := api.Call(ctx, client, api.Partners, api.PartnersRequest{Files: files, Limit: limit, Least: prefetch.Sure(th.Configured)})
	if err != nil {
		return err
	}
	err = a.answer(ans, func() {
		for _, p := range ans.Partners {
			fmt.Fprintf(a.out, "%s: changed with %s in %d of %d commits\n", p.File.Display(), p.With.Display(), p.Both, p.Of)
		}
	})
	if err == nil && len(ans.Partners) > 0 {
		err = fail(exitLacks, "nothing to add? git commit --no-verify", "%w: %d", errLacking, len(ans.Partners))
	}
	return err
}
