package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
)

func (a *app) config() *cobra.Command {
	var user, unset bool
	c := &cobra.Command{
		Use:   "config [KEY [VALUE]]",
		Short: "show or change settings",
		Long: `Without arguments, it prints every setting, its value and its origin. With KEY, it prints the value.
With KEY VALUE, it changes the setting for this repository, or with --user for all your repositories
(also outside of one).
A value in the environment (AOA_…) has priority over the repository's config.yaml, that over the
user's config.yaml, and that over the default.`,
		Example: `  aoa config threshold 0.80
  aoa config threshold conservative
  aoa config kinds prompt,rescue,partner   # also those that have retired themselves
  aoa config --unset threshold`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), true)
			var f *failure
			if user && errors.As(err, &f) && f.code == exitNoRepo { // the user's settings apply to no repository in particular
				client, err = nil, nil
			}
			if err != nil {
				return err
			}
			store := ""
			if client != nil {
				store = client.Place.Store
			}
			file := config.StoreFile(store)
			if user {
				file = config.UserFile(a.env)
			}
			switch {
			case len(args) == 0:
				return a.configList(store)
			case len(args) == 1 && !unset:
				return a.configGet(store, args[0])
			case unset:
				err = config.Unset(file, args[0])
			default:
				err = config.Set(file, args[0], args[1])
			}
			var disk *fs.PathError
			switch {
			case errors.As(err, &disk):
				return err
			case err != nil:
				return fail(exitUsage, "aoa config lists the keys", "%v", err)
			}
			if client == nil {
				return a.configGet(store, args[0])
			}
			var r api.ConfigRequest
			if args[0] == "kinds" && !unset { // also those that have retired themselves
				r.Revive = strings.Split(args[1], ",")
				if client, _, err = a.client(c.Context(), false); err != nil {
					return err
				}
			}
			// A running daemon reads it at once; one that is not running reads it when it starts.
			ans, err := api.Call(c.Context(), client, api.Config, r)
			if err != nil && !errors.Is(err, api.ErrNoDaemon) {
				return err
			}
			for _, kind := range ans.Revived {
				a.talk("%s had retired itself; it is shown again, and its record starts at zero", kind)
			}
			return a.configGet(store, args[0])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, k := range config.Keys() {
				switch {
				case len(args) == 0:
					names = append(names, k.Name+"\t"+k.Help)
				case len(args) == 1 && k.Name == args[0]:
					names = k.Values()
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&user, "user", false, "change the user's file, for all repositories")
	c.Flags().BoolVar(&unset, "unset", false, "remove the setting from the file")
	return c
}

// setting is one row of the list, for --json.
type setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
	Help   string `json:"help"`
	Env    string `json:"env"`
}

func (a *app) configList(store string) error {
	cfg, warnings, err := config.Load(a.env, store)
	if err != nil {
		return fail(exitFailed, "aoa config --unset KEY", "%v", err)
	}
	var list []setting
	rows := []string{"key\tvalue\tfrom\thelp"}
	for _, k := range config.Keys() {
		v, err := cfg.Get(k.Name)
		if err != nil {
			continue // a key with a free part, such as tags.*
		}
		v = config.Redacted(k.Name, v)
		list = append(list, setting{k.Name, v, cfg.Origin(k.Name), k.Help, k.Env})
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s", k.Name, v, cfg.Origin(k.Name), k.Help))
	}
	for _, w := range warnings {
		a.talk("warning: %s", w)
	}
	return a.answer(list, func() { a.table(rows...) })
}

func (a *app) configGet(store, key string) error {
	cfg, _, err := config.Load(a.env, store)
	if err != nil {
		return fail(exitFailed, "aoa config --unset KEY", "%v", err)
	}
	v, err := cfg.Get(key)
	if err != nil {
		return fail(exitUsage, "aoa config lists the keys", "%v", err)
	}
	v = config.Redacted(key, v)
	return a.answer(setting{Key: key, Value: v, Origin: cfg.Origin(key)}, func() { fmt.Fprintln(a.out, v) })
}
