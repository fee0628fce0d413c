package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

func (a *app) log() *cobra.Command {
	var known []string
	for _, k := range event.Kinds() {
		known = append(known, string(k))
	}
	var since, until, file string
	var kinds []string
	var r cold.LogFilter
	c := newCommand("log", "print the events that aOa learned from", cobra.NoArgs,
		func(ctx context.Context, _ []string) (err error) {
			if r.Since, err = a.past(since); err != nil {
				return err
			}
			if r.Until, err = a.when(until); err != nil {
				return err
			}
			if file != "" {
				if r.File, err = a.place(ctx, file, false); err != nil {
					return err
				}
			}
			if err := knownWords("kind of event", kinds, known); err != nil {
				return err
			}
			if len(kinds) == 0 { // ticks of the clock are of no interest to a reader
				kinds = slices.DeleteFunc(known, func(k string) bool { return k == string(event.KindTick) })
			}
			for _, k := range kinds {
				r.Kinds = append(r.Kinds, event.Kind(k))
			}
			ans, err := call(ctx, a, api.Log, r)
			if err != nil {
				return err
			}
			return a.events(ans.Events)
		})
	f := c.Flags()
	f.Var((*given)(&since), "since", "from this time on")
	f.Var((*given)(&until), "until", "before this time")
	a.sessionFlag(c, &r.Session, "of this session only")
	f.Var((*given)(&file), "file", "about this file, or the files of this folder, only")
	f.StringSliceVar(&kinds, "kind", nil, "of these kinds only: prompt, read, edit, commit, …")
	completeFlag(c, "kind", known)
	r.Limit = 100
	f.VarP((*number)(&r.Limit), "number", "n", "number of events")
	return c
}

func (a *app) events(events []event.Event) error {
	if a.json {
		e := encoder(a.out)
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
	a.eventTable(events)
	return nil
}

func (a *app) eventTable(events []event.Event) {
	printList(a, "time\tkind\twho\twhat", events, func(e event.Event) []any {
		who := e.Agent
		if e.Session != "" {
			who += " " + e.Session[:min(8, len(e.Session))]
		}
		return []any{stamp(e.Time), e.Kind(), who, a.what(e)}
	})
}

// what describes an event in a few words: its files, else its text.
func (a *app) what(e event.Event) string {
	names := a.firstNames(e.Paths(), 3)
	switch b := e.Body.(type) {
	case event.Hint:
		return strings.TrimRight(hinted(b)+": "+names, ": ")
	case event.Setting:
		return b.Name + " " + a.brief(b.Value, 60)
	case event.State:
		return a.brief(b.Name, 60)
	case event.Checkout:
		return a.brief(b.Name, 60)
	}
	if e.Text() == "" || names != "" && e.Kind() != event.KindCommit && e.Kind() != event.KindUncommit {
		return names
	}
	return strings.TrimSpace(a.brief(e.Text(), 60) + "  " + names)
}

// hinted tells what became of a hint. Most hints are never shown.
func hinted(h event.Hint) string {
	switch prefetch.Status(h.Status) {
	case prefetch.Shown:
		return h.Name
	case prefetch.Withheld:
		return h.Name + ", withheld to compare"
	case prefetch.Shadow:
		return h.Name + ", not shown" // not probable enough, or too soon after another hint
	}
	return h.Name + ", " + h.Status
}

// firstNames names the first files of a list, at most most, and tells how many more there are.
func (a *app) firstNames(paths []event.Path, most int) string {
	names := a.fileNames(paths[:min(len(paths), most)], ", ")
	if more := len(paths) - most; more > 0 {
		names += fmt.Sprintf(", and %d more", more)
	}
	return names
}

func (a *app) fileNames(paths []event.Path, between string) string {
	return joined(paths, between, a.display)
}

func joined(paths []event.Path, between string, show func(event.Path) string) string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = show(p)
	}
	return strings.Join(names, between)
}

// past is like when, but refuses a time in the future.
func (a *app) past(s string) (time.Time, error) {
	t, err := a.when(s)
	if err == nil && t.After(a.now()) {
		err = usage("nothing has happened since %s: it is in the future", stamp(t))
	}
	return t, err
}

// when reads a time as a person writes it: a date, a date and time, RFC 3339, or an age (90m, 2h,
// 7d).
func (a *app) when(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			return t, nil
		}
	}
	if d, err := config.ParseDuration(s); err == nil && d >= 0 {
		return a.now().Add(-d), nil
	}
	return time.Time{}, usage("%q is not a time; write 2026-01-31, \"2026-01-31 15:04\", or an age such as 2h or 7d", s)
}
