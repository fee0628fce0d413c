package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

func (a *app) cache() *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "store results of a session and read them back in parts",
		Long: `Stores what a session works out: up to 5 MB an item, 50 MB a session. Writing prints a key; reading
prints the whole item or a part of it. Items are deleted 24 hours after the last event of their session,
and at once when the session logs out or exits. Nothing is deleted to free space. The session is
--session, else CLAUDE_CODE_SESSION_ID, else the newest one that has not ended.`,
		Example: `  grep -rn TODO . | aoa cache put --session s1 --task survey --turn 1
  aoa cache list --session s1
  aoa cache get s1_survey_1 --lines 1-20`,
	}
	c.AddCommand(a.cachePut(), a.cacheGet(), a.cacheList(), a.cacheRemove(), a.cacheStats())
	return c
}

func (a *app) cachePut() *cobra.Command {
	var r api.CachePutRequest
	var it llmcache.Item
	var meta string
	c := &cobra.Command{
		Use:   "put [FILE]…",
		Short: "store standard input or files in one transaction, and print their keys",
		RunE: func(c *cobra.Command, args []string) error {
			if meta != "" {
				it.Notes = json.RawMessage(meta)
			}
			data, err := a.readItems(&r, it, args)
			if err != nil {
				return err
			}
			client, _, err := a.client(c.Context())
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
	c.Flags().StringVar(&r.Session, "session", a.getenv("CLAUDE_CODE_SESSION_ID"),
		"the session (default: CLAUDE_CODE_SESSION_ID, else the newest one)")
	c.Flags().Lookup("session").DefValue = ""
	f := c.Flags()
	f.StringVar(&it.Task, "task", "", "id of the task (default: random)")
	f.StringVar(&it.Turn, "turn", "", "id of the turn (default: random)")
	f.StringVarP(&it.Description, "description", "d", "", "description of at most 300 bytes (default: the file's name)")
	f.StringVar(&meta, "metadata", "", "JSON of your own, returned with the item")
	f.BoolVar(&it.Overwrite, "force", false, "replace an item of the same key")
	return c
}

// readItems reads standard input or the files, and adds an item for each.
func (a *app) readItems(r *api.CachePutRequest, it llmcache.Item, names []string) ([]byte, error) {
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
			name = a.abs(name)
			f, err := regularfile.Open(name, regularfile.FollowLinks)
			if errors.Is(err, regularfile.ErrKind) {
				return nil, fail(exitFailed, "read it on standard input: aoa cache put - < FILE", "%s is not a regular file", name)
			}
			if err != nil {
				return nil, fail(exitFailed, "", "%v", err)
			}
			defer f.Close()
			in = f
			if one.Description == "" {
				one.Description = filepath.Base(name)
			}
		}
		data, err := io.ReadAll(io.LimitReader(in, 5<<20+1)) // one byte too many is enough for the daemon to refuse it
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
	llmcache.Content
	Data     string `json:"data"`
	Encoding string `json:"encoding,omitempty"` // base64 if the data is not UTF-8
}

func (a *app) cacheGet() *cobra.Command {
	var r api.CacheGetRequest
	c := &cobra.Command{
		Use:   "get KEY",
		Short: "print an item or a part of it",
		Long: `Prints the bytes as they were stored. --pointer selects a value in JSON, --lines selects lines of that,
and --offset and --limit select bytes of those. A note on stderr says what is left.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context())
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
				out := cached{Content: reply.Head, Data: string(data)}
				if !utf8.Valid(data) {
					out.Data, out.Encoding = base64.StdEncoding.EncodeToString(data), "base64"
				}
				return a.answer(out, nil)
			}
			if _, err := a.out.Write(data); err != nil {
				return err
			}
			if next := reply.Head.Next; next > 0 {
				a.talk("%s of %s bytes; the rest: --offset %d", count(len(data)), count(reply.Head.Total), next)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.Pointer, "pointer", "", "JSON pointer, such as /files/3/name")
	f.StringVar(&r.Lines, "lines", "", "lines, counted from 1: 20, 10-20 or 10-")
	f.Int64Var(&r.Offset, "offset", 0, "number of bytes to skip")
	f.Int64Var(&r.Limit, "limit", 0, "largest number of bytes to print; 0 for all")
	return c
}

func (a *app) cacheList() *cobra.Command {
	var r api.CacheListRequest
	c := &cobra.Command{
		Use:   "list",
		Short: "the stored items, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return show(c.Context(), a, api.CacheList, r, func(ans api.CacheListAnswer) {
				printList(a, "", ans.Items, func(l llmcache.Label) []any {
					return []any{l.Key, size(l.Size), stamp(time.UnixMilli(l.At)), l.Description}
				})
				if more := ans.Total - len(ans.Items); more > 0 {
					a.talk("%d more: -n", more)
				}
			})
		},
	}
	a.ownSessionFlag(c, &r.Session)
	f := c.Flags()
	f.BoolVar(&r.All, "all", false, "items of all sessions")
	f.StringVar(&r.Task, "task", "", "items of this task only")
	r.Limit = 100
	f.VarP((*number)(&r.Limit), "number", "n", "number of items, 1 to 1000")
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
			return show(c.Context(), a, api.CacheDelete, r, func(ans api.CacheDeleteAnswer) {
				fmt.Fprintf(a.out, "deleted %s, %s\n", plural(ans.Items, "item"), size(ans.Bytes))
			})
		},
	}
	a.ownSessionFlag(c, &r.Session)
	c.Flags().BoolVar(&r.All, "all", false, "all items of the session")
	return c
}

func (a *app) cacheStats() *cobra.Command {
	const short = "what the sessions have stored, and their quota"
	r := api.StatsRequest{Table: "cache"}
	part := func(ans api.StatsAnswer) *api.CacheStatsAnswer { return ans.Cache }
	c := table(a, short, &r, part, func(ans api.CacheStatsAnswer) {
		printList(a, "session\titems\tused\tquota\taccessed\tends", ans.Sessions, func(u llmcache.Usage) []any {
			ends := "-"
			if !u.Ended.IsZero() {
				last := slices.MaxFunc([]time.Time{u.Accessed, u.Ended}, time.Time.Compare)
				ends = stamp(last.Add(24 * time.Hour))
			}
			return []any{u.Session, u.Items, size(u.Used), size(u.Quota), stamp(u.Accessed), ends}
		})
		a.talk("%s on disk, compressed", size(ans.Stored))
	})
	a.sessionFlag(c, &r.Session, "this session only")
	return c
}
