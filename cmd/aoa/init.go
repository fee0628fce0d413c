package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

// initOptions holds the flags of aoa init.
type initOptions struct {
	hooks         []string
	yes           bool
	noTranscripts bool
}

func (a *app) init() *cobra.Command {
	var o initOptions
	c := newCommand("init", "learn this repository's history, and start the daemon", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return a.initialise(ctx, o) })
	f := c.Flags()
	f.StringSliceVar(&o.hooks, "hooks", nil, "install hooks: "+strings.Join(hookNames(), ", "))
	completeFlag(c, "hooks", hookNames())
	f.BoolVarP(&o.yes, "yes", "y", false, "answer yes to every question, except whether to use a store of unknown origin")
	f.BoolVar(&o.noTranscripts, "no-transcripts", false, "do not read past sessions, and do not ask")
	return c
}

// initReport is what init prints with --json.
type initReport struct {
	Store       string           `json:"store"`
	Seconds     float64          `json:"seconds"`
	Commits     int64            `json:"commits"`
	Files       int64            `json:"files"`
	Transcripts api.ImportAnswer `json:"transcripts"`
	Hooks       []string         `json:"hooks"`
	Pairs       []history.Pair   `json:"pairs"`
	Shallow     bool             `json:"shallow,omitempty"` // the clone has only the newest part of the history
}

func (a *app) initialise(ctx context.Context, o initOptions) error {
	if err := knownHooks(o.hooks); err != nil {
		return err
	}
	repo, err := a.repo(ctx)
	if err != nil {
		return err
	}
	begin := a.now()
	if err := a.claim(ctx, locate.Find(repo.CommonDir, a.getenv)); err != nil {
		return err
	}
	place, err := locate.Create(repo.CommonDir, a.getenv)
	if disk, ok := errors.AsType[*fs.PathError](err); ok {
		return fail(exitFailed, "set AOA_STORE to a folder that can be written", "create store: %w", disk)
	}
	if err != nil {
		return err
	}
	client := a.dial(repo, place)
	rep := initReport{Store: place.Store, Hooks: []string{}}
	if err := a.importHistory(ctx, client, api.ImportRequest{}); err != nil {
		return err
	}
	if rep.Transcripts, err = a.importTranscripts(ctx, client, repo, place, o); err != nil {
		return err
	}
	for _, h := range o.hooks {
		done, err := a.installHook(ctx, h, install.Local, false)
		a.tell(done...)
		if err != nil {
			return err
		}
		rep.Hooks = append(rep.Hooks, h)
	}
	st, err := api.Call(ctx, client, api.Status, api.None{})
	if err != nil {
		return err
	}
	pairs, err := api.Call(ctx, client, api.Stats, api.StatsRequest{Table: "pairs", Limit: 3})
	if err != nil {
		return err
	}
	rep.Commits, rep.Files, rep.Pairs, rep.Shallow = st.Commits, st.Files, pairs.Pairs, repo.Shallow()
	rep.Seconds = a.now().Sub(begin).Seconds()
	connected := slices.ContainsFunc(a.hookStates(ctx, repo), func(st hookState) bool { return len(st.Events) > 0 })
	return a.answer(rep, func() { a.initProse(rep, connected, st.Warnings) })
}

// The note for shallow clones. aOa also learns what git adds to them later.
const (
	shallow = "this clone is shallow: aOa learns from the commits that it has"
	deepen  = "git fetch --unshallow"
)

// claim decides about a store that this user's aOa did not create here. A copy of a store that it
// did create is used. Any other may be a trap: it is used only if the user agrees, and moved aside
// otherwise.
func (a *app) claim(ctx context.Context, place locate.Place) error {
	stranger := place.Stranger()
	if stranger == nil {
		return nil
	}
	if a.getenv("AOA_STORE") != "" && stranger.Original == "" {
		return fail(exitFailed, "set AOA_STORE to a folder that is new or empty",
			"AOA_STORE names %s, which has files that aOa did not make there", place.Store)
	}
	a.talk("%v", stranger)
	use := stranger.Original != ""
	if !use && isTerminal(a.in) {
		var err error
		if use, err = a.agree(ctx, "aoa init can use what that store holds"); err != nil {
			return err
		}
	}
	if use {
		return place.Adopt()
	}
	aside, err := place.SetAside(a.now())
	if err != nil {
		return fmt.Errorf("set the store aside: %w", err)
	}
	a.talk("moved it to %s and begin a new store; delete it if you do not need it", aside)
	return nil
}

func (a *app) initProse(rep initReport, connected bool, warnings []string) {
	fmt.Fprintf(a.out, "learned %s over %s in %s\nthe store is %s\n", plural(int(rep.Commits), "commit"),
		plural(int(rep.Files), "file"),
		seconds(rep.Seconds), event.Path(rep.Store).Display())
	if rep.Commits == 0 && len(warnings) == 0 {
		a.talk("the repository has no commits yet: aOa learns from those that you make")
	}
	for _, w := range warnings {
		a.talk("warning: %s", w)
	}
	if rep.Shallow {
		a.talk("warning: %s", shallow)
		a.talk("hint: %s", deepen)
	}
	if rep.Transcripts.Events > 0 {
		fmt.Fprintf(a.out, "learned %s events of %s past agent sessions\n", count(rep.Transcripts.Events),
			count(rep.Transcripts.Sessions))
	}
	file := "FILE"
	if len(rep.Pairs) > 0 {
		fmt.Fprintln(a.out, "\nfiles that change together, although their names are not alike:")
		for _, p := range rep.Pairs {
			fmt.Fprintf(a.out, "  %s\n    with %s in %d of %d commits\n", a.display(p.A), a.display(p.B), p.Both, p.OfA)
		}
		file = a.typed(firstSource(rep.Pairs))
	}
	fmt.Fprintf(a.out, "\nnext:\n  aoa suggest %s\n  aoa suggest -p \"the task in words\"\n", file)
	if !connected {
		fmt.Fprintln(a.out, "  aoa init --hooks claude,git    # connect an agent and git")
	}
}

// firstSource returns a file to ask about: the first source file of the pairs, or else the first file.
func firstSource(pairs []history.Pair) event.Path {
	var files []event.Path
	for _, p := range pairs {
		files = append(files, p.A)
	}
	for _, p := range pairs {
		files = append(files, p.B)
	}
	i := slices.IndexFunc(files, func(p event.Path) bool { return index.KindOf(p) == index.KindSource })
	return files[max(i, 0)]
}

// importHistory starts the daemon and waits until it has read the history.
func (a *app) importHistory(ctx context.Context, client *api.Client, r api.ImportRequest) error {
	ans, err := a.follow(ctx, client, r, "history", "commits",
		func(ans api.ImportAnswer) api.Progress { return ans.History })
	if err == nil && ans.History.State == "failed" {
		err = fail(exitFailed, "aoa doctor", "read git history: %s", ans.History.Error)
	}
	return err
}

// follow starts an import and shows a progress bar until the import has ended.
func (a *app) follow(ctx context.Context, client *api.Client, r api.ImportRequest, what, unit string,
	of func(api.ImportAnswer) api.Progress) (api.ImportAnswer, error) {
	moves, finish := a.progress(what, unit)
	defer finish()
	for tick := time.NewTicker(50 * time.Millisecond); ; r = (api.ImportRequest{Look: true}) {
		ans, err := api.Call(ctx, client, api.Import, r)
		p := of(ans)
		if err != nil || p.State != "running" {
			return ans, err
		}
		moves(p.Done, p.Total)
		select {
		case <-ctx.Done():
			return ans, ctx.Err()
		case <-tick.C:
		}
	}
}

// importTranscripts reads the agent's past sessions in this repository, if there are any and the
// user agrees.
func (a *app) importTranscripts(ctx context.Context, client *api.Client, repo *watcher.Repo, place locate.Place,
	o initOptions) (none api.ImportAnswer, err error) {
	cfg, _, err := config.Load(a.env, place.Settings())
	if err != nil || o.noTranscripts || cfg.Transcripts == "off" {
		return none, err
	}
	dir := transcript.Dir(a.claudeHome(), repo.Root)
	if files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); dir == "" || len(files) == 0 {
		return none, nil
	}
	if !o.yes && cfg.Transcripts != "on" {
		yes, err := a.agree(ctx, "aoa init reads past Claude Code sessions of this repository from "+dir)
		if err == nil && !yes {
			a.talk("hint: aoa init --yes, or aoa init --no-transcripts")
		}
		if err != nil || !yes {
			return none, err
		}
	}
	ans, err := a.follow(ctx, client, api.ImportRequest{Transcripts: dir}, "transcripts", "files",
		func(ans api.ImportAnswer) api.Progress { return ans.Transcripts })
	if err == nil && ans.Transcripts.State == "failed" {
		a.talk("transcripts: %s", ans.Transcripts.Error)
	}
	return ans, err
}

// claudeHome returns the folder in which Claude Code keeps its own files.
func (a *app) claudeHome() string {
	return cmp.Or(a.getenv("CLAUDE_CONFIG_DIR"), filepath.Join(a.home(), ".claude"))
}

// agree asks the user. Without a terminal it returns false. The only error is that of ctx.
func (a *app) agree(ctx context.Context, what string) (yes bool, err error) {
	if !isTerminal(a.in) {
		a.talk("%s: this has to be confirmed, and standard input is not a terminal", what)
		return false, nil
	}
	fmt.Fprintf(a.err, "aoa: %s. Go on? [y/N] ", what)
	answer, err := a.stdin(ctx).ReadString('\n')
	if ctx.Err() != nil {
		fmt.Fprintln(a.err)
		return false, ctx.Err()
	}
	return err == nil && strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y"), nil
}

// agreed is agree for a command that does nothing without a yes; hint does it without asking.
func (a *app) agreed(ctx context.Context, what, hint, done string) error {
	yes, err := a.agree(ctx, what)
	if err == nil && !yes {
		err = fail(exitFailed, hint, "nothing was %s", done)
	}
	return err
}

// stdin is standard input that ends with an error when ctx ends. A read of a terminal cannot be
// canceled: it goes on until the process ends.
func (a *app) stdin(ctx context.Context) *bufio.Reader {
	if a.input == nil {
		from, to := io.Pipe()
		go func() {
			_, err := io.Copy(to, a.in)
			to.CloseWithError(err) // nil is the end of the input
		}()
		context.AfterFunc(ctx, func() { to.CloseWithError(ctx.Err()) })
		a.input = bufio.NewReader(from)
	}
	return a.input
}

// progress shows a progress bar on stderr, if that is a terminal. It returns a function that makes the
// bar show how much is done, and one that removes the bar.
func (a *app) progress(what, unit string) (moves func(done, total int), finish func()) {
	var w io.Writer = io.Discard
	if isTerminal(a.err) {
		w = a.err
	}
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("aoa: "+what),
		progressbar.OptionShowCount(), progressbar.OptionSetItsString(unit), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetSpinnerChangeInterval(0)) // do not start a goroutine
	return func(done, total int) {
		if total > 0 { // the bar cannot show a total of 0
			bar.ChangeMax(total)
			_ = bar.Set(min(done, total)) // only a progress bar
		}
	}, func() { _ = bar.Finish() }
}
