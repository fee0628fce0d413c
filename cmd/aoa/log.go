package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

func (a *app) log() *cobra.Command {
	var since, until, file string
	var kinds []string
	var r api.LogRequest
	c := &cobra.Command{
		Use:   "log",
		Short: "the events that were learned from",
		Long: `Prints events, oldest first, the newest 100 unless told otherwise. With --json one event a
line. Times are dates, times, or ages such as 2h or 7d.`,
		Example: "  aoa log --since 2h --file internal/server.go\n  aoa log --json --limit 1000 | jq .kind",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if r.Since, err = a.when(since); err != nil {
				return err
			}
			if r.Until, err = a.when(until); err != nil {
				return err
			}
			client, repo, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			if file != "" {
				if r.File, err = a.path(repo, file); err != nil {
					return err
				}
			}
			for _, k := range kinds {
				r.Kinds = append(r.Kinds, event.Kind(k))
			}
			ans, err := api.Call(c.Context(), client, api.Log, r)
			if err != nil {
				return err
			}
			return a.events(ans.Events)
		},
	}
	f := c.Flags()
	f.StringVar(&since, "since", "", "not before this time")
	f.StringVar(&until, "until", "", "before this time")
	f.StringVar(&r.Session, "session", "", "of this session")
	f.StringVar(&file, "file", "", "about this file")
	f.StringSliceVar(&kinds, "kind", nil, "of these kinds: prompt, read, edit, commit, …")
	f.IntVarP(&r.Limit, "limit", "n", 100, "at most so many")
	return c
}

func (a *app) events(events []event.Event) error {
	if a.json {
		e := json.NewEncoder(a.out)
		e.SetEscapeHTML(false)
		for _, ev := range events {
			if err := e.Encode(ev); err != nil {
				return err
			}
		}
		return nil
	}
	if len(events) == 0 {
		a.talk("no such events")
		return nil
	}
	rows := []string{"time\tkind\twho\twhat"}
	for _, e := range events {
		who := e.Agent
		if e.Session != "" {
			who += " " + e.Session[:min(8, len(e.Session))]
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s", stamp(e.Time), e.Kind, who, what(e)))
	}
	a.table(rows...)
	return nil
}

// what is the event's subject in a few words: its files, else its text.
func what(e event.Event) string {
	var names []string
	for i, p := range e.Paths {
		if i == 3 {
			names = append(names, fmt.Sprintf("and %d more", len(e.Paths)-3))
			break
		}
		names = append(names, p.Display())
	}
	s := strings.Join(names, ", ")
	if e.Text != "" && (s == "" || e.Kind == event.KindCommit || e.Kind == event.KindUncommit) {
		text := []rune(event.Path(strings.Join(strings.Fields(e.Text), " ")).Display())
		if len(text) > 60 {
			text = append(text[:59], '…')
		}
		s = strings.TrimSpace(string(text) + "  " + s)
	}
	return s
}

// when reads a time as a person writes it: a date, a date and time, RFC 3339, or an age (90m, 2h, 7d).
func (a *app) when(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			return t, nil
		}
	}
	if d, err := span(s); err == nil {
		return a.now().Add(-d), nil
	}
	return time.Time{}, usage("%q is no time; write 2026-01-31, \"2026-01-31 15:04\", or an age such as 2h or 7d", s)
}

// span reads a duration with days and weeks.
func span(s string) (time.Duration, error) {
	if s == "" {
		return 0, fmt.Errorf("empty duration")
	}
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[s[len(s)-1]]
	if unit == 0 {
		d, err := time.ParseDuration(s)
		if err == nil && d < 0 {
			err = fmt.Errorf("negative duration %q", s)
		}
		return d, err
	}
	var n float64
	if _, err := fmt.Sscanf(s[:len(s)-1]+"\n", "%g\n", &n); err != nil || n < 0 || n > 1e5 {
		return 0, fmt.Errorf("invalid duration %q", s)
	}
	return time.Duration(n * float64(unit)), nil
}
