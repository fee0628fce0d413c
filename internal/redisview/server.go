package redisview

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/peer"
)

// view is a miniredis instance with those of aOa's keys that commands have named.
type view struct {
	daemon *api.Client
	now    func() time.Time
	mu     sync.Mutex // guards the fields below; held while a command is executed
	redis  *miniredis.Miniredis
	since  time.Time       // when the first key in ours was read
	ours   map[string]bool // keys read from the daemon; false: only their name and type were read
}

// Serve serves the clients of a listener until ctx ends, with what the daemon answers. The error is
// that of the listener.
func Serve(ctx context.Context, ln net.Listener, daemon *api.Client, now func() time.Time) error {
	v := &view{daemon: daemon, now: now, redis: started()}
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	var clients sync.WaitGroup
	defer clients.Wait()
	for {
		conn, err := ln.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case peer.Caller(conn) != nil:
			conn.Close()
		default:
			clients.Go(func() { v.serve(ctx, conn) })
		}
	}
}

// started returns a miniredis that listens on no port.
func started() *miniredis.Miniredis {
	m := miniredis.NewMiniRedis()
	m.ClockTTL(true)
	if unused, err := m.Dial(); err == nil { // dialing starts the server, without a port
		unused.Close()
	}
	return m
}

// serve executes the commands of one client.
func (v *view) serve(ctx context.Context, conn net.Conn) {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	in, out := bufio.NewReader(conn), &bytes.Buffer{}
	p := server.NewPeer(bufio.NewWriter(out))
	for !p.Closed() {
		args, err := readCommand(in)
		if err != nil {
			return
		}
		if len(args) > 0 {
			v.run(ctx, p, out, args)
		}
		p.Flush()
		if _, err := out.WriteTo(conn); err != nil {
			return
		}
	}
}

// fresh is how long an answer of the daemon is used.
const fresh = time.Second

// fill reads from the daemon the keys that a command names, or, if all is true, the names of all
// keys. It first drops keys that were read too long ago.
func (v *view) fill(ctx context.Context, keys []string, all bool) error {
	if now := v.now(); now.Sub(v.since) >= fresh {
		for key := range v.ours {
			v.redis.Del(key)
		}
		v.redis.SetTime(now)
		v.since, v.ours = now, map[string]bool{}
	}
	if all {
		return v.list(ctx)
	}
	for _, key := range keys {
		if err := v.fillOne(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// fillOne reads a key from the daemon, unless a client has written it.
func (v *view) fillOne(ctx context.Context, key string) error {
	f, owner, ok := parse(key)
	whole, ours := v.ours[key]
	if !ok || whole || !ours && v.redis.Exists(key) {
		return nil
	}
	a, err := v.read(ctx, f, owner)
	if err == nil {
		v.redis.Del(key)
		v.put(key, f.kind, a)
		v.ours[key] = true
	}
	return err
}

// list stores the names of all keys with their types.
func (v *view) list(ctx context.Context) error {
	for _, f := range families {
		if !f.owned {
			if err := v.fillOne(ctx, f.begin); err != nil {
				return err
			}
			continue
		}
		owners, err := api.Call(ctx, v.daemon, api.Scores, api.ScoresRequest{Set: f.set})
		if err != nil {
			return err
		}
		for _, o := range owners.Members {
			key := f.begin + o.Name + f.end
			if _, ours := v.ours[key]; !ours {
				v.put(key, f.kind, api.ScoresAnswer{Members: make([]hot.Member, 1), Fields: map[string]string{"": ""}})
				v.ours[key] = false
			}
		}
	}
	return nil
}

// put stores a key that does not exist yet.
func (v *view) put(key, kind string, a api.ScoresAnswer) {
	db := v.redis.DB(0)
	for _, m := range a.Members {
		switch kind { // it fails only if the key exists with another type
		case sortedSet:
			_, _ = db.ZAdd(key, m.Score, m.Name)
		case plainSet:
			_, _ = db.SetAdd(key, m.Name)
		case list:
			_, _ = db.Push(key, m.Name)
		case text:
			_ = db.Set(key, m.Name)
		}
	}
	for field, s := range a.Fields {
		if kind == hash {
			db.HSet(key, field, s)
		}
	}
	if !a.Expires.IsZero() && db.Exists(key) {
		db.SetTTL(key, a.Expires.Sub(v.now()))
	}
}

// readCommand reads a command as clients send it: an array of strings. The error tells that the
// client has left, or that it sent something else.
func readCommand(r *bufio.Reader) (args []string, err error) {
	sent, err := server.ParseReply(r) // commands have the form of a reply
	words, _ := sent.([]any)
	for _, w := range words {
		word, ok := w.(string)
		if !ok {
			return nil, server.ErrProtocol
		}
		args = append(args, word)
	}
	return args, err
}
