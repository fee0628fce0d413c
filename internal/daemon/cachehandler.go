package daemon

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/redact"
)

func (d *Daemon) newCache() *llmcache.Cache {
	// Events more than an hour in the future come from a clock that was ahead.
	newest := func(session string) time.Time {
		found, err := d.db.Log(context.Background(), cold.LogFilter{Session: session,
			Until: d.now().Add(time.Hour), Limit: 1})
		if err != nil || len(found) == 0 {
			return time.Time{}
		}
		return found[0].Time
	}
	return llmcache.New(llmcache.Options{Blobs: d.blobs, Now: d.now, Redact: redact.Text, Newest: newest})
}

// dropLeft deletes the stored items of sessions that people have left for good, until ctx ends.
func (d *Daemon) dropLeft(ctx context.Context) error {
	for {
		if err := d.cache.Leave(ctx, d.events.Sessions.Left()); err != nil && ctx.Err() == nil {
			d.alert.Warn("items of an ended session are not deleted", "err", err)
		}
		select {
		case <-d.left:
		case <-ctx.Done():
			return nil
		}
	}
}

// cacheOwner returns the session that was named, else the newest live one in the caller's worktree.
func (d *Daemon) cacheOwner(ctx context.Context, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	id := d.newestSession(d.worktrees.Caller(ctx))
	if id == "" {
		return "", event.BadRequest("name one: --session ID, in MCP session_id", "no session is live here")
	}
	return id, nil
}

func (d *Daemon) cachePut(ctx context.Context, r api.CachePutRequest) (out api.CachePutAnswer, err error) {
	if out.Session, err = d.cacheOwner(ctx, r.Session); err != nil {
		return out, err
	}
	r.Call = api.CallID(ctx)
	out.Label, err = d.cache.Write(ctx, out.Session, r.Item)
	return out, err
}

func (d *Daemon) cacheGet(ctx context.Context, r api.CacheGetRequest) (llmcache.Content, error) {
	return d.cache.Read(ctx, r.Key, r.Cut)
}

func (d *Daemon) cacheList(ctx context.Context, r api.CacheListRequest) (out api.CacheListAnswer, err error) {
	if !r.All {
		if out.Session, err = d.cacheOwner(ctx, r.Session); err != nil {
			return out, err
		}
	}
	r.Session = out.Session
	out.Items, out.Total, err = d.cache.List(ctx, r.Filter)
	return out, err
}

func (d *Daemon) cacheDelete(ctx context.Context, r api.CacheDeleteRequest) (out api.CacheDeleteAnswer, err error) {
	switch {
	case r.All == (r.Key != ""):
		return out, event.BadRequest("aoa cache rm KEY, or --all", "name a key, or all of a session")
	case !r.All:
		out.Items = 1
		out.Bytes, err = d.cache.Delete(ctx, r.Key)
		return out, err
	}
	session, err := d.cacheOwner(ctx, r.Session)
	if err != nil {
		return out, err
	}
	out.Items, out.Bytes, err = d.cache.Clear(ctx, session)
	return out, err
}
