package daemon

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/redact"
)

func (d *Daemon) newCache() *llmcache.Cache {
	// Later events are of a clock that ran ahead.
	newest := func(session string) time.Time {
		found, err := d.db.Log(context.Background(), cold.LogFilter{Session: session, Until: d.now().Add(time.Hour), Limit: 1})
		if err != nil || len(found) == 0 {
			return time.Time{}
		}
		return found[0].Time
	}
	return llmcache.New(llmcache.Options{Blobs: d.blobs, Now: d.now, Redact: redact.Text, Newest: newest})
}

// cacheOwner is the session that was named, else the newest live one of the caller's worktree.
func (d *Daemon) cacheOwner(ctx context.Context, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	id := d.newestSession(d.worktrees.Caller(ctx))
	if id == "" {
		return "", api.Bad("name one: --session ID, in MCP session_id", "no session is live here")
	}
	return id, nil
}

func (d *Daemon) cachePut(ctx context.Context, r api.CachePutRequest,
	rest io.Reader) (out api.Streamed[api.CachePutAnswer], err error) {
	defer func() { _, _ = io.Copy(io.Discard, rest) }() // a caller that is still sending would miss a refusal
	if out.Head.Session, err = d.cacheOwner(ctx, r.Session); err != nil {
		return out, err
	}
	for i := range r.Items {
		it := &r.Items[i]
		if it.Size < 0 || it.Size > llmcache.MaxItem {
			return out, &api.Error{Code: api.CodeTooLarge,
				Message: fmt.Sprintf("item %d has %d bytes, an item at most %d", i+1, it.Size, llmcache.MaxItem),
				Hint:    "set it aside in parts"}
		}
		it.Call, it.Data = fmt.Sprint(api.CallID(ctx), ":", i), make([]byte, it.Size)
		if _, err := io.ReadFull(rest, it.Data); err != nil {
			return out, api.Bad("docs/api.md describes /cache/put", "the data of item %d: %v", i+1, err)
		}
	}
	out.Head.Items, err = d.cache.Write(ctx, out.Head.Session, r.Items)
	return out, refusal("", err)
}

func (d *Daemon) cacheGet(ctx context.Context, r api.CacheGetRequest, _ io.Reader) (out api.Streamed[llmcache.Content],
	err error) {
	out.Head, err = d.cache.Read(ctx, r.Key, r.Cut)
	out.Body = out.Head.Data
	return out, refusal("", err)
}

func (d *Daemon) cacheList(ctx context.Context, r api.CacheListRequest) (out api.CacheListAnswer, err error) {
	if !r.All {
		if out.Session, err = d.cacheOwner(ctx, r.Session); err != nil {
			return out, err
		}
	}
	r.Session = out.Session
	out.Items, out.Total, err = d.cache.List(ctx, r.Filter)
	return out, refusal("", err)
}

func (d *Daemon) cacheDelete(ctx context.Context, r api.CacheDeleteRequest) (out api.CacheDeleteAnswer, err error) {
	if !r.All {
		out.Items, out.Bytes, err = d.cache.Delete(ctx, r.Keys)
		return out, refusal("", err)
	}
	if len(r.Keys) > 0 {
		return out, api.Bad("name keys, or a session and all", "keys and all at once")
	}
	session, err := d.cacheOwner(ctx, r.Session)
	if err != nil {
		return out, err
	}
	gone, err := d.cache.Clear(ctx, session)
	out.Items, out.Bytes = gone.Items, gone.Used
	return out, refusal("", err)
}
