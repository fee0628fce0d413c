package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/redact"
)

// cacheHandler serves the data cache.
type cacheHandler struct {
	base
	worktrees *checkout.Set
	sessions  *sessionFinder
	file      *llmcache.Cache
}

func newCache(b base, db *cold.DB, blobs *cold.Blobs) *llmcache.Cache {
	// Later events are of a clock that ran ahead.
	newest := func(session string) time.Time {
		found, err := db.Log(context.Background(), cold.LogFilter{Session: session, Until: b.now().Add(time.Hour), Limit: 1})
		if err != nil || len(found) == 0 {
			return time.Time{}
		}
		return found[0].Time
	}
	return llmcache.New(llmcache.Options{Blobs: blobs, Now: b.now, Redact: redact.Text, Newest: newest})
}

func (h *cacheHandler) routes(mux *http.ServeMux) {
	api.HandleStream(mux, api.CachePut, h.put)
	api.HandleStream(mux, api.CacheGet, h.get)
	api.Handle(mux, api.CacheList, h.list)
	api.Handle(mux, api.CacheDelete, h.remove)
}

// owner is the session that was named, else the newest live one of the caller's worktree.
func (h *cacheHandler) owner(ctx context.Context, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	id := h.sessions.newest(h.worktrees.Caller(ctx))
	if id == "" {
		return "", api.Bad("name one: --session ID, or session_id", "no session is live here: whose is it?")
	}
	return id, nil
}

func (h *cacheHandler) put(ctx context.Context, r api.CachePutRequest,
	rest io.Reader) (out api.Streamed[api.CachePutAnswer], err error) {
	defer func() { _, _ = io.Copy(io.Discard, rest) }() // a caller that is still sending would miss a refusal
	if out.Head.Session, err = h.owner(ctx, r.Session); err != nil {
		return out, err
	}
	items := make([]llmcache.Item, len(r.Items))
	for i, it := range r.Items {
		if it.Size < 0 || it.Size > llmcache.MaxItem {
			return out, &api.Error{Code: api.CodeTooLarge,
				Message: fmt.Sprintf("item %d has %d bytes, an item at most %d", i+1, it.Size, llmcache.MaxItem),
				Hint:    "set it aside in parts"}
		}
		items[i] = llmcache.Item{Task: it.Task, Turn: it.Turn, Description: it.Description, JSON: it.JSON, Notes: it.Metadata,
			Overwrite: it.Overwrite, Redact: it.Redact, Call: fmt.Sprint(api.CallID(ctx), ":", i), Data: make([]byte, it.Size)}
		if _, err := io.ReadFull(rest, items[i].Data); err != nil {
			return out, api.Bad("docs/api.md describes /cache/put", "the data of item %d: %v", i+1, err)
		}
	}
	labels, err := h.file.Write(ctx, out.Head.Session, items)
	out.Head.Items = convert(labels, wireLabel)
	return out, refusal(err)
}

func (h *cacheHandler) get(ctx context.Context, r api.CacheGetRequest, _ io.Reader) (out api.Streamed[api.CacheContent],
	err error) {
	c, err := h.file.Read(ctx, r.Key, llmcache.Cut{Pointer: r.Pointer, Lines: r.Lines, Offset: r.Offset, Limit: r.Limit})
	out.Head = api.CacheContent{CacheLabel: api.CacheLabel(c.Label), Metadata: c.Notes, JSON: c.JSON, Total: c.Total,
		Next: c.Next}
	out.Body = c.Data
	return out, refusal(err)
}

func (h *cacheHandler) list(ctx context.Context, r api.CacheListRequest) (out api.CacheListAnswer, err error) {
	if !r.All {
		if out.Session, err = h.owner(ctx, r.Session); err != nil {
			return out, err
		}
	}
	labels, total, err := h.file.List(ctx,
		llmcache.Filter{Session: out.Session, Task: r.Task, Since: r.Since, Until: r.Until, Limit: r.Limit})
	out.Items, out.Total = convert(labels, wireLabel), total
	return out, refusal(err)
}

func wireLabel(l llmcache.Label) api.CacheLabel { return api.CacheLabel(l) }

func (h *cacheHandler) remove(ctx context.Context, r api.CacheDeleteRequest) (out api.CacheDeleteAnswer, err error) {
	if !r.All {
		out.Items, out.Bytes, err = h.file.Delete(ctx, r.Keys)
		return out, refusal(err)
	}
	if len(r.Keys) > 0 {
		return out, api.Bad("name keys, or a session and all", "keys and all at once")
	}
	session, err := h.owner(ctx, r.Session)
	if err != nil {
		return out, err
	}
	gone, err := h.file.Clear(ctx, session)
	out.Items, out.Bytes = gone.Items, gone.Used
	return out, refusal(err)
}

func (h *cacheHandler) stats(ctx context.Context, r api.StatsRequest) (out api.StatsAnswer, err error) {
	all, stored, err := h.file.Stats(ctx)
	all = slices.DeleteFunc(all, func(u llmcache.Usage) bool { return r.Session != "" && r.Session != u.Session })
	usage := convert(all, func(u llmcache.Usage) api.CacheUsage { return api.CacheUsage(u) })
	out.Cache = &api.CacheStatsAnswer{Sessions: usage, Stored: stored}
	return out, refusal(err)
}

// refusal is an error of the cache as the API returns it.
func refusal(err error) error {
	var e *llmcache.Error
	if errors.As(err, &e) {
		return &api.Error{Code: e.Code, Message: e.Message, Hint: e.Hint}
	}
	return err
}
