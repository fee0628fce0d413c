package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/locate"
)

func (a *app) config() *cobra.Command {
	var user, unset bool
	c := newCommand("config [KEY [VALUE]]", "show or change settings", func(c *cobra.Command, args []string) error {
		if unset && len(args) != 1 {
			return usage("--unset takes one key: aoa config --unset KEY")
		}
		return cobra.MaximumNArgs(2)(c, args)
	}, nil)
	c.ValidArgsFunction = completeSetting
	c.RunE = func(c *cobra.Command, args []string) error {
		_, place, err := a.known(c.Context())
		code, _ := judge(err)
		alone := user && code == exitNoRepo // the user's settings need no repository
		if err != nil && !alone {
			return err
		}
		if alone || user && !unset && len(args) < 2 { // the repository's settings are not asked for
			place = locate.Place{}
		}
		file := place.Settings()
		if user {
			file = config.UserFile(a.env)
		}
		switch {
		case len(args) == 0:
			return a.configList(place.Settings())
		case unset:
			err = config.Unset(file, args[0])
		case len(args) == 2:
			err = config.Set(file, args[0], args[1])
		default:
			return a.configGet(place.Settings(), args[0])
		}
		if _, disk := errors.AsType[*fs.PathError](err); err != nil && !disk {
			return fail(exitUsage, "aoa config lists the keys", "%v", err)
		}
		if err == nil && !alone {
			err = a.configRead(c.Context(), place)
		}
		if err == nil {
			err = a.configGet(place.Settings(), args[0])
		}
		if err == nil {
			a.configAfter(place.Settings(), file, args[0], unset)
		}
		return err
	}
	c.Flags().BoolVar(&user, "user", false, "change the user's file, for all repositories")
	c.Flags().BoolVar(&unset, "unset", false, "remove the setting from the file")
	return c
}

// configAfter warns if a changed setting has no effect yet, or none at all. file is the settings
// file that was changed.
func (a *app) configAfter(settings, file, key string, unset bool) {
	cfg, _, err := config.Load(a.env, settings)
	if by := cfg.Origin(key); err == nil && !unset && by != file {
		a.talk("warning: %s sets %s, too, and has priority over %s", by, key, file)
	}
	if k, _ := config.FindKey(key); k.Effect != config.AtOnce {
		a.talk("hint: %s takes effect %s: aoa daemon stop", k.Name, k.Effect)
	}
}

// configRead makes a running daemon read a changed setting. If no daemon is running nothing has to
// be done, because it reads the settings when it starts.
func (a *app) configRead(ctx context.Context, place locate.Place) error {
	_, err := api.Call(ctx, a.running(place), api.Config, api.None{})
	if errors.Is(err, api.ErrNoDaemon) {
		return nil
	}
	return err
}

// setting is one row of the list of settings, for --json.
type setting struct {
	Key    string        `json:"key"`
	Value  string        `json:"value"`
	Origin string        `json:"origin"`
	Effect config.Effect `json:"takes_effect"`
	Help   string        `json:"help"`
	Env    string        `json:"env,omitempty"`
}

// settingOf returns the row of a key. The error tells if there is no such setting.
func settingOf(cfg config.Config, key string) (setting, error) {
	v, err := cfg.Get(key)
	k, _ := config.FindKey(key)
	return setting{key, config.Shown(key, v), cfg.Origin(key), k.Effect, k.Help, k.Env}, err
}

func (a *app) configList(file string) error {
	cfg, warnings, err := config.Load(a.env, file)
	if err != nil {
		return fail(exitFailed, "aoa config --unset KEY", "%v", err)
	}
	var list []setting
	var rows []string
	for _, k := range cfg.Settings() {
		s, err := settingOf(cfg, k.Name)
		if err != nil {
			return err
		}
		list = append(list, s)
		rows = append(rows, cells(s.Key, s.Value, s.Origin, s.Help))
	}
	for _, w := range warnings {
		a.talk("warning: %s", w)
	}
	return a.answer(list, func() { a.table("key\tvalue\tfrom\thelp", rows...) })
}

func (a *app) configGet(file, key string) error {
	cfg, _, err := config.Load(a.env, file)
	if err != nil {
		return fail(exitFailed, "aoa config --unset KEY", "%v", err)
	}
	s, err := settingOf(cfg, key)
	if err != nil {
		return fail(exitUsage, "aoa config lists the keys", "%v", err)
	}
	return a.answer(s, func() { fmt.Fprintln(a.out, s.Value) })
}

// completeSetting completes the names of settings, and for some settings also their values.
func completeSetting(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		k, _ := config.FindKey(args[0])
		return k.Words, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, k := range config.Keys() {
		if len(args) == 0 {
			names = append(names, k.Name+"\t"+k.Help)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
