package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

func (a *app) cache() *cobra.Command {
	return family("cache", "store results of a session and read them back in parts", a.cachePut(),
		a.cacheGet(), a.cacheList(), a.cacheRemove())
}

func (a *app) cachePut() *cobra.Command {
	var r api.CachePutRequest
	var meta string
	c := newCommand("put [FILE]", "store standard input or a file, and print its key", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			if meta != "" {
				r.Notes = json.RawMessage(meta)
			}
			data, err := a.readItem(ctx, &r, strings.Join(args, ""))
			if err != nil {
				return err
			}
			client, _, err := a.client(ctx)
			if err != nil {
				return err
			}
			reply, err := api.Ask(ctx, client, api.CachePut, r, data)
			if err != nil {
				return err
			}
			defer reply.Close()
			return a.answer(reply.Head, func() { fmt.Fprintln(a.out, reply.Head.Key) })
		})
	c.Flags().StringVar(&r.Session, "session", a.getenv("CLAUDE_CODE_SESSION_ID"),
		"the session (default: CLAUDE_CODE_SESSION_ID, else the newest one)")
	c.Flags().Lookup("session").DefValue = ""
	f := c.Flags()
	f.StringVar(&r.Task, "task", "", "id of the task (default: random)")
	f.StringVar(&r.Turn, "turn", "", "id of the turn (default: random)")
	f.StringVarP(&r.Description, "description", "d", "", "description of at most 300 bytes (default: the file's name)")
	f.StringVar(&meta, "metadata", "", "JSON of your own, returned with the item")
	f.BoolVar(&r.Overwrite, "force", false, "replace an item of the same key")
	return c
}

// readItem reads a file or standard input, and records its size and name in the request.
func (a *app) readItem(ctx context.Context, r *api.CachePutRequest, name string) ([]byte, error) {
	var in io.Reader = a.stdin(ctx)
	if name != "" && name != "-" {
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
		r.Description = cmp.Or(r.Description, filepath.Base(name))
	}
	// one byte too many is enough for the item to be refused
	data, err := io.ReadAll(io.LimitReader(in, llmcache.MaxItem+1))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", cmp.Or(name, "standard input"), err)
	}
	r.Size = int64(len(data))
	return data, nil
}

// cached is an item with its data, for --json.
type cached struct {
	llmcache.Content
	Data     string `json:"data"`
	Encoding string `json:"encoding,omitempty"` // base64 if the data is not UTF-8
}

func (a *app) cacheGet() *cobra.Command {
	var r api.CacheGetRequest
	c := newCommand("get KEY", "print an item or a part of it", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			client, _, err := a.client(ctx)
			if err != nil {
				return err
			}
			r.Key = args[0]
			reply, err := api.Ask(ctx, client, api.CacheGet, r, nil)
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
		})
	f := c.Flags()
	f.StringVar(&r.Lines, "lines", "", "lines, counted from 1: 20, 10-20 or 10-")
	f.Int64Var(&r.Offset, "offset", 0, "number of bytes to skip")
	f.Int64Var(&r.Limit, "limit", 0, "largest number of bytes to print; 0 for all")
	return c
}

func (a *app) cacheList() *cobra.Command {
	var r api.CacheListRequest
	c := newCommand("list", "the stored items, the newest first", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			return show(ctx, a, api.CacheList, r, func(ans api.CacheListAnswer) {
				printList(a, "", ans.Items, func(l llmcache.Label) []any {
					return []any{l.Key, size(l.Size), stamp(time.UnixMilli(l.At)), l.Description}
				})
				if more := ans.Total - len(ans.Items); more > 0 {
					a.talk("%d more: -n", more)
				}
			})
		})
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
	c := oneOrAll("rm [KEY]", "delete an item, or all of a session", "a key", "all items of the session",
		func(ctx context.Context, key string, all bool) error {
			r.Key, r.All = key, all
			return show(ctx, a, api.CacheDelete, r, func(ans api.CacheDeleteAnswer) {
				fmt.Fprintf(a.out, "deleted %s, %s\n", plural(ans.Items, "item"), size(ans.Bytes))
			})
		})
	a.ownSessionFlag(c, &r.Session)
	return c
}
