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
	c := &cobra.Command{
		Use:   "config [KEY [VALUE]]",
		Short: "show or change settings",
		Long: `Without arguments, it prints every setting, its value and its origin. With KEY, it prints the value.
With KEY VALUE, it changes the setting for this repository, or with --user for all your repositories
(also outside of one).
A value in the environment (AOA_…) has priority over the repository's, that over the user's, and that over
the default. Both files are in your home folder: nothing in a repository changes a setting.`,
		Example: `  aoa config threshold 0.80
  aoa config threshold conservative
  aoa config kinds prompt,rescue,partner
  aoa config --unset threshold`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			_, place, err := a.known(c.Context())
			var f *failure
			alone := user && errors.As(err, &f) && f.code == exitNoRepo // the user's settings need no repository
			if err != nil && !alone {
				return err
			}
			if alone {
				place = locate.Place{}
			}
			file := place.Settings()
			if user {
				file = config.UserFile(a.env)
			}
			switch {
			case unset && len(args) != 1:
				return usage("--unset takes one key: aoa config --unset KEY")
			case len(args) == 0:
				return a.configList(place.Settings())
			case unset:
				err = config.Unset(file, args[0])
			case len(args) == 2:
				err = config.Set(file, args[0], args[1])
			default:
				return a.configGet(place.Settings(), args[0])
			}
			if disk := (*fs.PathError)(nil); err != nil && !errors.As(err, &disk) {
				return fail(exitUsage, "aoa config lists the keys", "%v", err)
			}
			if err == nil && !alone {
				err = a.configRead(c.Context(), place)
			}
			if err != nil {
				return err
			}
			return a.configGet(place.Settings(), args[0])
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

// configRead makes a running daemon read a setting that was changed. One that is not running reads it when it starts.
func (a *app) configRead(ctx context.Context, place locate.Place) error {
	_, err := api.Call(ctx, a.running(place), api.Config, api.None{})
	if errors.Is(err, api.ErrNoDaemon) {
		return nil
	}
	return err
}

// setting is one row of the list, for --json.
type setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
	Help   string `json:"help"`
	Env    string `json:"env"`
}

func (a *app) configList(file string) error {
	cfg, warnings, err := config.Load(a.env, file)
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
		v = config.Shown(k.Name, v)
		list = append(list, setting{k.Name, v, cfg.Origin(k.Name), k.Help, k.Env})
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s", k.Name, v, cfg.Origin(k.Name), k.Help))
	}
	for _, w := range warnings {
		a.talk("warning: %s", w)
	}
	return a.answer(list, func() { a.table(rows...) })
}

func (a *app) configGet(file, key string) error {
	cfg, _, err := config.Load(a.env, file)
	if err != nil {
		return fail(exitFailed, "aoa config --unset KEY", "%v", err)
	}
	v, err := cfg.Get(key)
	if err != nil {
		return fail(exitUsage, "aoa config lists the keys", "%v", err)
	}
	v = config.Shown(key, v)
	return a.answer(setting{Key: key, Value: v, Origin: cfg.Origin(key)}, func() { fmt.Fprintln(a.out, v) })
}
