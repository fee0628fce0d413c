package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/internal/report"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/watcher"
)

// Limits of a report: the newest commits that are read, and how many of these are asked about
// again.
const (
	reportCommits  = 20_000
	reportOutcomes = 5000
	reportAsked    = 300
	reportLongest  = 4 << 20 // bytes of the largest file whose lines are counted
)

func (a *app) report() *cobra.Command {
	var file string
	var open bool
	c := newCommand("report", "write a page: files that belong together, hot spots, accuracy", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return a.makeReport(ctx, file, open) })
	c.Flags().StringVarP(&file, "output", "o", "", "write the page to this file, - for stdout")
	c.Flags().BoolVar(&open, "open", false, "show the page in the browser")
	return c
}

// reportAnswer tells where the page is and what it is about.
type reportAnswer struct {
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
	Commits int    `json:"commits"`
	Pairs   int    `json:"pairs"`
	Changes int    `json:"changes"`
}

func (a *app) makeReport(ctx context.Context, file string, open bool) error {
	if file == "-" && (open || a.json) {
		return usage("-o - prints the page itself: leave out --open and --json")
	}
	client, repo, err := a.client(ctx)
	if err != nil {
		return err
	}
	in, err := a.reportInput(ctx, client, repo)
	if err != nil {
		return err
	}
	page := report.New(in)
	if file == "-" {
		return page.Write(a.out)
	}
	name := a.abs(file)
	if file == "" {
		name = a.reportFile(repo)
	}
	var text bytes.Buffer
	if err := page.Write(&text); err != nil {
		return err
	}
	if err := replaceFile(name, text.Bytes()); err != nil {
		return err
	}
	if open {
		if err := a.browse(name); err != nil {
			return fail(exitFailed, "open "+name+" in a browser", "%v", err)
		}
	}
	ans := reportAnswer{File: name, Bytes: int64(text.Len()), Commits: len(in.Events), Pairs: len(page.Map.Pairs),
		Changes: len(in.Past)}
	return a.answer(ans, func() { fmt.Fprintln(a.out, event.Path(name).Display()) })
}

// reportFile returns where the page is written by default. aoa forget deletes this file.
func (a *app) reportFile(repo *watcher.Repo) string {
	return filepath.Join(locate.Find(repo.CommonDir, a.getenv).Store, "report.html")
}

// reportInput collects from the daemon and git what a report shows.
func (a *app) reportInput(ctx context.Context, client *api.Client, repo *watcher.Repo) (in report.Input, err error) {
	in = report.Input{Name: filepath.Base(string(repo.Root)), Now: a.now(),
		Lines: func(p event.Path) int { return lines(repo.Root.Abs(p)) }}
	err = a.importHistory(ctx, client, api.ImportRequest{Look: true}) // waits for an import that is running
	if refused, ok := errors.AsType[*event.Refusal](err); err != nil && (!ok || refused.Code != event.CodeBusy) {
		return in, err // it is not just a pause
	}
	if in.Status, err = call(ctx, a, api.Status, api.None{}); err != nil {
		return in, err
	}
	logged := func(limit int, kinds ...event.Kind) ([]event.Event, error) {
		ans, err := call(ctx, a, api.Log, cold.LogFilter{Kinds: kinds, Limit: limit})
		return ans.Events, err
	}
	if in.Events, err = logged(reportCommits, event.KindCommit, event.KindRename); err != nil {
		return in, err
	}
	came, err := call(ctx, a, api.Stats, api.StatsRequest{Table: "outcomes", Limit: reportOutcomes})
	if err != nil {
		return in, err
	}
	in.Outcomes = came.Outcomes
	if in.Files, err = repo.Files(ctx); err != nil {
		return in, err
	}
	hints, err := call(ctx, a, api.Stats, api.StatsRequest{Table: "hints"})
	if err != nil {
		return in, err
	}
	in.Hints = hints.Hints
	in.Past, err = a.pastChanges(ctx, repo, in)
	return in, err
}

// pastChanges asks about the newest commits as if they were being made now.
func (a *app) pastChanges(ctx context.Context, repo *watcher.Repo, in report.Input) ([]eval.Change, error) {
	th, err := call(ctx, a, api.Threshold, api.None{})
	if err != nil {
		return nil, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a replay allocates much and keeps little
	moves, finish := a.progress("asking again about past changes", "commits")
	defer finish()
	return eval.Changes(ctx, eval.Source{Name: in.Name, Commits: in.Events},
		eval.Options{Newest: reportAsked, Progress: moves, Rules: rulesOf(repo)}, prefetch.Sure(th.Configured))
}

// lines returns the number of lines in a file, 0 if it cannot be read or is too long.
func lines(name string) int {
	raw, err := regularfile.Read(name, regularfile.NoLinks, reportLongest)
	if err != nil || bytes.IndexByte(raw[:min(len(raw), 8000)], 0) >= 0 { // binary by git's rule
		return 0
	}
	return bytes.Count(raw, []byte{'\n'})
}

// replaceFile writes a file as a whole. A new file can be read only by its owner, because names of
// files are private.
func replaceFile(name string, data []byte) error {
	err := atomicfile.WriteBytes(name, atomicfile.Options{}, data)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		// The name of the unfinished file is left out, because it would only confuse.
		return fail(exitFailed, "name a file in a folder that can be written", "write page %s: %v", name, path.Err)
	}
	return err
}

// browse shows a file in the desktop's browser, or with the program that BROWSER names.
func (a *app) browse(name string) error {
	args := []string{"xdg-open"}
	switch own := a.getenv("BROWSER"); {
	case own != "":
		args = []string{own}
	case runtime.GOOS == "darwin":
		args = []string{"open"}
	case runtime.GOOS == "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(args[0], append(args[1:], name)...)
	cmd.Env = a.env
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
	case <-time.After(browserFails):
	}
	return nil
}

// browserFails is how long a browser is watched for a failure. Some browsers end only when the page
// is closed.
const browserFails = time.Second
