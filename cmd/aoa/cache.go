package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) cache() *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "set results of a session aside and read them back in parts",
		Long: `Keeps what a session works out: up to 5 MB an item, 50 MB a session. Writing returns a label, reading
takes the whole or a part. Items go 24 hours after their session was last heard of, at once when it
logs out or exits; nothing is thrown out to make room. The session is --session, else
CLAUDE_CODE_SESSION_ID, else the newest live one.`,
		Example: `  grep -rn TODO . | aoa cache put -d "all TODOs" --task survey
  aoa cache list
  aoa cache get s1_survey_k3x9w2ab --lines 1-20`,
	}
	c.AddCommand(a.cachePut(), a.cacheGet(), a.cacheList(), a.cacheRemove(), a.cacheStats())
	for _, sub := range c.Commands() {
		a.strict(sub)
	}
	return c
}

// sessionFlag is the session that a command is about, "" to let the daemon find the newest live one.
func (a *app) sessionFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "session", a.getenv("CLAUDE_CODE_SESSION_ID"), "the session; default: the environment's, else the newest live one")
	c.Flags().Lookup("session").DefValue = ""
}

func (a *app) cachePut() *cobra.Command {
	var r api.CachePutRequest
	var it api.CacheItem
	var meta string
	c := &cobra.Command{
		Use:   "put [FILE]…",
		Short: "set stdin or files aside, all in one transaction, and print their keys",
		RunE: func(c *cobra.Command, args []string) error {
			if meta != "" {
				it.Metadata = json.RawMessage(meta)
			}
			data, err := a.toCache(&r, it, args)
			if err != nil {
				return err
			}
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			reply, err := api.Ask(c.Context(), client, api.CachePut, r, data)
			if err != nil {
				return err
			}
			defer reply.Close()
			return a.answer(reply.Head, func() {
				for _, l := range reply.Head.Items {
					fmt.Fprintln(a.out, l.Key)
				}
			})
		},
	}
	a.sessionFlag(c, &r.Session)
	f := c.Flags()
	f.StringVar(&it.Task, "task", "", "id of the task; default: random")
	f.StringVar(&it.Turn, "turn", "", "id of the turn; default: random")
	f.StringVarP(&it.Description, "description", "d", "", "what it holds, at most 300 bytes; default: the file's name")
	f.StringVar(&meta, "metadata", "", "JSON of your own, read back with the item")
	f.BoolVar(&it.JSON, "json-data", false, "it must be JSON")
	f.BoolVar(&it.Overwrite, "overwrite", false, "replace an item of the same key")
	f.BoolVar(&it.Redact, "redact", false, "take known forms of secrets out of the data, too")
	return c
}

// toCache reads stdin or the files and adds an item for each.
func (a *app) toCache(r *api.CachePutRequest, it api.CacheItem, names []string) ([]byte, error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	if len(names) > 1 && it.Turn != "" {
		return nil, usage("--turn names one item, not %d", len(names))
	}
	var all []byte
	for _, name := range names {
		in := a.in
		one := it
		if name != "-" {
			if !filepath.IsAbs(name) {
				name = filepath.Join(a.dir, name)
			}
			// To open a pipe waits until somebody writes to it.
			info, err := os.Stat(name)
			if err != nil {
				return nil, fail(exitFailed, "", "%v", err)
			}
			if !info.Mode().IsRegular() {
				return nil, fail(exitFailed, "read it on standard input: aoa cache put - < FILE", "%s is not a regular file", name)
			}
			f, err := os.Open(name)
			if err != nil {
				return nil, fail(exitFailed, "", "%v", err)
			}
			defer f.Close()
			in = f
			if one.Description == "" {
				one.Description = filepath.Base(name)
			}
		}
		data, err := io.ReadAll(io.LimitReader(in, 5<<20+1)) // one byte too much is enough to be refused
		if err != nil {
			return nil, fail(exitFailed, "", "read %s: %v", name, err)
		}
		one.Size = int64(len(data))
		r.Items, all = append(r.Items, one), append(all, data...)
	}
	return all, nil
}

// cached is an item with its data, for --json.
type cached struct {
	api.CacheContent
	Data     string `json:"data"`
	Encoding string `json:"encoding,omitempty"` // base64: the data is no text
}

func (a *app) cacheGet() *cobra.Command {
	var r api.CacheGetRequest
	c := &cobra.Command{
		Use:   "get KEY",
		Short: "print an item or a part of it",
		Long: `Prints the bytes as they were set aside. --pointer takes a value out of JSON, --lines takes lines of
that, --offset and --limit take bytes of those; what is left is told on stderr.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			r.Key = args[0]
			reply, err := api.Ask(c.Context(), client, api.CacheGet, r, nil)
			if err != nil {
				return err
			}
			defer reply.Close()
			data, err := io.ReadAll(reply)
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(textual(reply.Head, data), nil)
			}
			if _, err := a.out.Write(data); err != nil {
				return err
			}
			if next := reply.Head.Next; next > 0 {
				a.talk("%s of %s bytes; the rest: --offset %d", count(int64(len(data))), count(reply.Head.Total), next)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.Pointer, "pointer", "", "JSON pointer, such as /files/3/name")
	f.StringVar(&r.Lines, "lines", "", "lines from 1: 20, 10-20 or 10-")
	f.Int64Var(&r.Offset, "offset", 0, "bytes to leave out at the beginning")
	f.Int64Var(&r.Limit, "limit", 0, "bytes to print at most; 0 is all")
	return c
}

func textual(head api.CacheContent, data []byte) cached {
	if utf8.Valid(data) {
		return cached{CacheContent: head, Data: string(data)}
	}
	raw, _ := json.Marshal(data) // bytes always have a JSON form: base64 in quotes
	return cached{CacheContent: head, Data: strings.Trim(string(raw), `"`), Encoding: "base64"}
}

func (a *app) cacheList() *cobra.Command {
	var r api.CacheListRequest
	var since, until string
	c := &cobra.Command{
		Use:   "list",
		Short: "the labels of what is set aside, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if r.Since, err = a.when(since); err != nil {
				return err
			}
			if r.Until, err = a.when(until); err != nil {
				return err
			}
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.CacheList, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				rows := make([]string, len(ans.Items))
				for i, l := range ans.Items {
					rows[i] = fmt.Sprintf("%s\t%s\t%s\t%s", l.Key, size(l.Size), stamp(time.UnixMilli(l.At)), l.Description)
				}
				a.table(rows...)
				if more := ans.Total - len(ans.Items); more > 0 {
					a.talk("%d more: --limit", more)
				}
			})
		},
	}
	a.sessionFlag(c, &r.Session)
	f := c.Flags()
	f.BoolVar(&r.All, "all", false, "of every session")
	f.StringVar(&r.Task, "task", "", "of this task only")
	f.StringVar(&since, "since", "", "written since this time (2h, 7d, 2026-01-31)")
	f.StringVar(&until, "until", "", "written before this time")
	f.IntVar(&r.Limit, "limit", 100, "at most so many, 1 to 1000")
	return c
}

func (a *app) cacheRemove() *cobra.Command {
	var r api.CacheDeleteRequest
	c := &cobra.Command{
		Use:   "rm [KEY]…",
		Short: "delete items, or all of a session",
		RunE: func(c *cobra.Command, args []string) error {
			r.Keys = args
			if r.All == (len(args) > 0) {
				return usage("name keys, or --all for all of the session")
			}
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.CacheDelete, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() { fmt.Fprintf(a.out, "deleted %s, %s\n", plural(ans.Items, "item"), size(ans.Bytes)) })
		},
	}
	a.sessionFlag(c, &r.Session)
	c.Flags().BoolVar(&r.All, "all", false, "all of the session")
	return c
}

func (a *app) cacheStats() *cobra.Command {
	var r api.CacheStatsRequest
	c := &cobra.Command{
		Use:   "stats",
		Short: "what the sessions have set aside, and their quota",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.CacheStats, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				rows := []string{"session\titems\tused\tquota\taccessed\tends"}
				for _, u := range ans.Sessions {
					ends := "-"
					if !u.Ended.IsZero() {
						last := u.Accessed
						if u.Ended.After(last) {
							last = u.Ended
						}
						ends = stamp(last.Add(24 * time.Hour))
					}
					rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%s\t%s\t%s", u.Session, u.Items, size(u.Used), size(u.Quota), stamp(u.Accessed), ends))
				}
				a.table(rows...)
				a.talk("%s on disk, compressed", size(ans.Stored))
			})
		},
	}
	c.Flags().StringVar(&r.Session, "session", "", "of this session only")
	return c
}
