package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/prefetch/llmcache"
)

// shelf is the data cache behind the socket.
type shelf struct {
	*llmcache.Cache
	h *house
}

func (c *cacheHandler) newShelf() *shelf {
	return &shelf{h: h, Cache: llmcache.New(llmcache.Options{Path: filepath.Join(c.store, "cache.db"), Now: c.now, Seal: c.seal,
		Redact: redact.Text, Heard: c.heard, Log: c.alert})}
}

func (s *shelf) routes(mux *http.ServeMux) {
	api.HandleStream(mux, api.CachePut, s.put)
	api.HandleStream(mux, api.CacheGet, s.get)
	api.Handle(mux, api.CacheList, s.list)
	api.Handle(mux, api.CacheDelete, s.remove)
	api.Handle(mux, api.CacheStats, s.stats)
}

// heard is when a session was last heard of; zero if never. A time to come says nothing: the clock ran ahead then.
func (c *cacheHandler) heard(session string) time.Time {
	newest, err := c.db.Log(context.Background(), cold.LogFilter{Session: session, Until: c.now().Add(time.Hour), Limit: 1})
	if err != nil || len(newest) == 0 {
		return time.Time{}
	}
	return newest[0].Time
}

// owner is the session that was named, else the newest live one of the caller's worktree.
func (s *shelf) owner(ctx context.Context, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	id, err := s.c.newestSession(ctx, s.c.worktrees.at(ctx, api.CallerDir(ctx)))
	if err == nil && id == "" {
		err = api.Bad("name one: --session ID, or session_id", "no session is live here: whose is it?")
	}
	return id, err
}

func (s *shelf) put(ctx context.Context, r api.CachePutRequest, rest io.Reader) (out api.Streamed[api.CachePutAnswer], err error) {
	defer func() { _, _ = io.Copy(io.Discard, rest) }() // a caller that is still sending would miss a refusal
	if out.Head.Session, err = s.owner(ctx, r.Session); err != nil {
		return out, err
	}
	items := make([]llmcache.Item, len(r.Items))
	for i, it := range r.Items {
		if it.Size < 0 || it.Size > llmcache.MaxItem {
			return out, &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("item %d has %d bytes, an item at most %d", i+1, it.Size, llmcache.MaxItem), Hint: "set it aside in parts"}
		}
		items[i] = llmcache.Item{Task: it.Task, Turn: it.Turn, Description: it.Description, JSON: it.JSON, Notes: it.Metadata,
			Overwrite: it.Overwrite, Redact: it.Redact, Call: fmt.Sprint(api.CallID(ctx), ":", i), Data: make([]byte, it.Size)}
		if _, err := io.ReadFull(rest, items[i].Data); err != nil {
			return out, api.Bad("docs/api.md describes /cache/put", "the data of item %d: %v", i+1, err)
		}
	}
	labels, err := s.Write(ctx, out.Head.Session, items)
	for _, l := range labels {
		out.Head.Items = append(out.Head.Items, api.CacheLabel(l))
	}
	return out, refusal(err)
}

func (s *shelf) get(ctx context.Context, r api.CacheGetRequest, _ io.Reader) (out api.Streamed[api.CacheContent], err error) {
	c, err := s.Read(ctx, r.Key, llmcache.Cut{Pointer: r.Pointer, Lines: r.Lines, Offset: r.Offset, Limit: r.Limit})
	out.Head = api.CacheContent{CacheLabel: api.CacheLabel(c.Label), Metadata: c.Notes, JSON: c.JSON, Total: c.Total, Next: c.Next}
	out.Body = c.Data
	return out, refusal(err)
}

func (s *shelf) list(ctx context.Context, r api.CacheListRequest) (out api.CacheListAnswer, err error) {
	out.Items = []api.CacheLabel{}
	if !r.All {
		if out.Session, err = s.owner(ctx, r.Session); err != nil {
			return out, err
		}
	}
	labels, total, err := s.List(ctx, llmcache.Filter{Session: out.Session, Task: r.Task, Since: r.Since, Until: r.Until, Limit: r.Limit})
	for _, l := range labels {
		out.Items = append(out.Items, api.CacheLabel(l))
	}
	out.Total = total
	return out, refusal(err)
}

func (s *shelf) remove(ctx context.Context, r api.CacheDeleteRequest) (out api.CacheDeleteAnswer, err error) {
	if !r.All {
		out.Items, out.Bytes, err = s.Delete(ctx, r.Keys)
		return out, refusal(err)
	}
	if len(r.Keys) > 0 {
		return out, api.Bad("name keys, or a session and all", "keys and all at once")
	}
	session, err := s.owner(ctx, r.Session)
	if err != nil {
		return out, err
	}
	gone, err := s.Clear(ctx, session)
	out.Items, out.Bytes = gone.Items, gone.Used
	return out, refusal(err)
}

func (s *shelf) stats(ctx context.Context, r api.CacheStatsRequest) (out api.CacheStatsAnswer, err error) {
	out.Sessions = []api.CacheUsage{}
	all, stored, err := s.Stats(ctx)
	for _, u := range all {
		if r.Session == "" || r.Session == u.Session {
			out.Sessions = append(out.Sessions, api.CacheUsage{Session: u.Session, Items: u.Items, Used: u.Used, Quota: u.Quota,
				Created: u.Created.UTC(), Accessed: u.Accessed.UTC(), Ended: u.Ended.UTC()})
		}
	}
	out.Stored = stored
	return out, refusal(err)
}

// borders tells the cache of sessions that began or ended. What fails costs no event: the sweep finds orphans.
func (s *shelf) borders(ctx context.Context, events []event.Event) {
	for _, e := range events {
		var err error
		switch {
		case e.Kind != event.KindStart && e.Kind != event.KindEnd, s.c.now().Sub(e.Time) > llmcache.Life: // imported: long over
		case e.Kind == event.KindStart:
			err = s.Resume(ctx, e.Session)
		default:
			err = s.End(ctx, e.Session, e.Tool)
		}
		if err != nil {
			s.c.log.Warn("a session's border not noted in its cache", "err", err)
		}
	}
}

// sweep takes out what belongs to sessions that are gone.
func (s *shelf) sweep(ctx context.Context) {
	gone, err := s.Sweep(ctx)
	if err != nil && ctx.Err() == nil {
		s.c.log.Warn("cache not swept", "err", err)
	}
	for _, u := range gone {
		s.c.log.Info("cache of a session swept", "session", u.Session, "items", u.Items, "bytes", u.Used)
	}
}

func (s *shelf) forget(ctx context.Context, f cold.ForgetFilter) error {
	_, err := s.Forget(ctx, llmcache.Erase{Session: f.Session, Since: f.Since, Text: string(f.Path)})
	return err
}

// refusal gives a room's refusal its form on the wire.
func refusal(err error) error {
	var e *llmcache.Error
	if errors.As(err, &e) {
		return &api.Error{Code: e.Code, Message: e.Message, Hint: e.Hint}
	}
	return err
}
