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
		return "", api.Bad("name one: --session ID, or session_id", "no session is live here")
	}
	return id, nil
}

func (h *cacheHandler) put(ctx context.Context, r api.CachePutRequest,
	rest io.Reader) (out api.Streamed[api.CachePutAnswer], err error) {
	defer func() { _, _ = io.Copy(io.Discard, rest) }() // a caller that is still sending would miss a refusal
	if out.Head.Session, err = h.owner(ctx, r.Session); err != nil {
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
	out.Head.Items, err = h.file.Write(ctx, out.Head.Session, r.Items)
	return out, refusal(err)
}

func (h *cacheHandler) get(ctx context.Context, r api.CacheGetRequest, _ io.Reader) (out api.Streamed[llmcache.Content],
	err error) {
	out.Head, err = h.file.Read(ctx, r.Key, r.Cut)
	out.Body = out.Head.Data
	return out, refusal(err)
}

func (h *cacheHandler) list(ctx context.Context, r api.CacheListRequest) (out api.CacheListAnswer, err error) {
	if !r.All {
		if out.Session, err = h.owner(ctx, r.Session); err != nil {
			return out, err
		}
	}
	r.Session = out.Session
	out.Items, out.Total, err = h.file.List(ctx, r.Filter)
	return out, refusal(err)
}

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
	out.Cache = &api.CacheStatsAnswer{Sessions: all, Stored: stored}
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
