package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/watcher"
)

// finding is one line of the doctor's report.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // the next command to type
}

func (a *app) doctor() *cobra.Command {
	return newCommand("doctor", "check git, store, daemon, settings and hooks", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			found := a.examine(ctx)
			bad := 0
			rows := []string{}
			for _, f := range found {
				mark := "ok  "
				if !f.OK {
					mark, bad = "BAD ", bad+1
				}
				rows = append(rows, mark+"\t"+f.Check+"\t"+f.Detail)
				if f.Advice != "" {
					rows = append(rows, "\t\t→ "+f.Advice)
				}
			}
			if err := a.answer(found, func() { a.table("", rows...) }); err != nil {
				return err
			}
			if bad > 0 {
				return fail(exitFailed, "follow the arrows above", "%d of %s %s attention", bad, plural(len(found), "check"),
					english.PluralWord(bad, "needs", "need"))
			}
			return nil
		})
}

func (a *app) examine(ctx context.Context) []finding {
	var out []finding
	add := func(check string, ok bool, detail, advice string) {
		out = append(out, finding{check, ok, strings.TrimSpace(detail), advice})
	}
	version, err := git.Find(a.env).Run(ctx, "", "version")
	if err != nil {
		add("git", false, err.Error(), "install git, or put its folder on the PATH")
		return out
	}
	add("git", true, string(version), "")
	repo, err := watcher.OpenRepo(ctx, a.dir, a.env)
	if err != nil {
		add("repository", false, err.Error(), "cd to a repository, or git init")
		return out
	}
	add("repository", true, string(repo.Root), "")
	place := locate.Find(repo.CommonDir, a.getenv)
	if err := place.Known(); err != nil {
		_, hint := judge(err)
		add("store", false, err.Error(), cmp.Or(hint, "aoa init"))
		return out
	}
	out = append(out, a.examineStore(place)...)
	if _, warnings, err := config.Load(a.env, place.Settings()); err != nil {
		add("settings", false, err.Error(), "aoa config --unset KEY, or edit the file")
	} else if len(warnings) > 0 {
		add("settings", false, warnings[0], "aoa config lists the keys")
	} else {
		add("settings", true, "read", "")
	}
	if repo.Shallow() {
		add("history", false, shallow, deepen)
	}
	out = append(out, a.examineDaemon(ctx, repo, place)...)
	return append(out, a.examineHooks(ctx, repo)...)
}

func (a *app) examineStore(p locate.Place) []finding {
	st, err := os.Stat(p.Store)
	if err != nil {
		return []finding{{"store", false, err.Error(), "aoa init"}}
	}
	if st.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		return []finding{{"store", false, p.Store + " is open to other users", "chmod 700 " + event.ShellWord(p.Store)}}
	}
	out := []finding{{"store", true, p.Store, ""}}
	for _, why := range []string{"damaged", "version"} {
		pattern := "*." + why + "-*"
		if old, _ := filepath.Glob(filepath.Join(p.Store, pattern)); len(old) > 0 {
			out = append(out, finding{"database", false,
				fmt.Sprintf("%d files that could not be used were moved aside; the newest is %s",
					len(old), old[len(old)-1]), "rm " + event.ShellWord(p.Store) + "/" + pattern})
		}
	}
	return out
}

// tryDaemon finds out whether a daemon could start, without starting one.
func (a *app) tryDaemon(ctx context.Context, repo *watcher.Repo, p locate.Place) finding {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	err := ready(p)
	if err == nil {
		err = daemon.Try(ctx, a.daemonOptions(repo, p, slog.New(slog.DiscardHandler)))
	}
	if err != nil {
		return finding{"daemon", false, "not running, and it cannot start: " + err.Error(),
			"aoa daemon run --verbose shows more"}
	}
	return finding{"daemon", true, "not running; the next command or hook that needs it starts it", ""}
}

func (a *app) examineDaemon(ctx context.Context, repo *watcher.Repo, p locate.Place) []finding {
	begin := a.now()
	st, err := api.Call(ctx, a.running(p), api.Status, api.None{})
	if errors.Is(err, api.ErrNoDaemon) {
		return []finding{a.tryDaemon(ctx, repo, p)}
	}
	if refused, ok := errors.AsType[*event.Refusal](err); ok && refused.Hint != "" {
		return []finding{{"daemon", false, err.Error(), refused.Hint}}
	}
	if err != nil {
		return []finding{{"daemon", false, err.Error(), "aoa daemon run --verbose shows why it does not start"}}
	}
	out := []finding{{"daemon", true, fmt.Sprintf("pid %d answers in %.1f ms", st.Pid,
		float64(a.now().Sub(begin).Microseconds())/1000), ""}}
	if st.Import.State == "failed" {
		out = append(out, finding{"history", false, st.Import.Error, "aoa daemon stop, then aoa daemon start"})
	}
	if st.WatchHint != "" {
		out = append(out, finding{"saves", false, saves(st), st.WatchHint})
	}
	if !st.Paused.IsZero() {
		out = append(out, finding{"pause", false, "paused until " + st.Paused.Format(time.RFC3339), "aoa pause off"})
	}
	for _, w := range st.Warnings {
		out = append(out, finding{"warning", false, w, "aoa status"})
	}
	return out
}
