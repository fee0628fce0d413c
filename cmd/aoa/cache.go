package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

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
	c := newCommand("put [FILE]", "store standard input or a file, and print its key", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			if err := a.readItem(ctx, &r, strings.Join(args, "")); err != nil {
				return err
			}
			return show(ctx, a, api.CachePut, r, func(ans api.CachePutAnswer) { fmt.Fprintln(a.out, ans.Key) })
		})
	c.Flags().StringVar(&r.Session, "session", a.getenv("CLAUDE_CODE_SESSION_ID"),
		"the session (default: CLAUDE_CODE_SESSION_ID, else the newest one)")
	c.Flags().Lookup("session").DefValue = ""
	f := c.Flags()
	f.StringVar(&r.Task, "task", "", "id of the task (default: random)")
	f.StringVar(&r.Turn, "turn", "", "id of the turn (default: random)")
	f.StringVarP(&r.Description, "description", "d", "", "description of at most 300 bytes (default: the file's name)")
	f.Var((*jsonText)(&r.Notes), "metadata", "JSON of your own, returned with the item")
	f.BoolVar(&r.Overwrite, "force", false, "replace an item of the same key")
	return c
}

// readItem reads a file or standard input into the request. A file's name is its description.
func (a *app) readItem(ctx context.Context, r *api.CachePutRequest, name string) (err error) {
	var in io.Reader = a.stdin(ctx)
	if name != "" && name != "-" {
		name = a.abs(name)
		f, err := regularfile.Open(name, regularfile.FollowLinks)
		if errors.Is(err, regularfile.ErrKind) {
			return fail(exitFailed, "read it on standard input: aoa cache put - < FILE", "%s is not a regular file", name)
		}
		if err != nil {
			return fail(exitFailed, "", "%v", err)
		}
		defer f.Close()
		in = f
		r.Description = cmp.Or(r.Description, filepath.Base(name))
	}
	// one byte too many is enough for the item to be refused
	r.Data, err = io.ReadAll(io.LimitReader(in, llmcache.MaxItem+1))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", cmp.Or(name, "standard input"), err)
	}
	return nil
}

func (a *app) cacheGet() *cobra.Command {
	var r api.CacheGetRequest
	c := newCommand("get KEY", "print an item or a part of it", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			r.Key = args[0]
			return show(ctx, a, api.CacheGet, r, func(ans llmcache.Content) {
				data := ans.Data()
				_, _ = a.out.Write(data) // a.out notes the error
				if ans.Next > 0 {
					a.talk("%s of %s bytes; the rest: --offset %d", count(len(data)), count(ans.Total), ans.Next)
				}
			})
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
