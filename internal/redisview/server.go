package redisview

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/peer"
)

// Options are the daemon's functions that Serve uses, and the clock. All are required.
type Options struct {
	Scores    func(context.Context, api.ScoresRequest) (api.ScoresAnswer, error)
	Threshold func(context.Context) (api.ThresholdAnswer, error)
	Stats     func(context.Context, api.StatsRequest) (api.StatsAnswer, error)
	Now       func() time.Time
}

// view is a miniredis instance with those of aOa's keys that commands have named.
type view struct {
	Options
	mu    sync.Mutex // guards the fields below; held while a command is executed
	redis *miniredis.Miniredis
	since time.Time       // when the first key in ours was read
	ours  map[string]bool // keys read from the daemon; false: only their name and type were read
}

// Serve serves the clients of a listener until ctx ends. The error is that of the listener.
func Serve(ctx context.Context, ln net.Listener, o Options) error {
	v := &view{Options: o, redis: started()}
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
		var wrong protocolError
		switch {
		case errors.As(err, &wrong):
			p.WriteError("ERR " + wrong.Error())
			p.Close()
		case err != nil:
			return
		case len(args) > 0:
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
	if now := v.Now(); now.Sub(v.since) >= fresh {
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
		owners, err := v.Scores(ctx, api.ScoresRequest{Set: f.set})
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
		db.SetTTL(key, a.Expires.Sub(v.Now()))
	}
}

// Limits of a command.
const (
	maxArguments = 1024
	maxArgument  = 1 << 20 // bytes
	maxCommand   = 4 << 20 // bytes of all arguments together
	maxLine      = 32      // bytes of a line that states a length
)

// protocolError is an error in what a client sent. The connection cannot be used any further.
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// readCommand reads a command as clients send it: an array of bulk strings. An empty array is not a
// command. Any other form, and a command beyond the limits, is a protocolError; the limits are
// checked before the data is read.
func readCommand(r *bufio.Reader) (args []string, err error) {
	n, err := readLength(r, '*', maxArguments)
	left := maxCommand
	for i := 0; i < n && err == nil; i++ {
		var length int
		if length, err = readLength(r, '$', min(left, maxArgument)); err != nil {
			return nil, err
		}
		if length < 0 {
			return nil, protocolError("an argument has no length")
		}
		arg := make([]byte, length+2)
		if _, err = io.ReadFull(r, arg); err == nil && string(arg[length:]) != "\r\n" {
			err = protocolError("an argument is longer than its stated length")
		}
		left -= length
		args = append(args, string(arg[:length]))
	}
	return args, err
}

// readLength reads a line with a mark and a number.
func readLength(r *bufio.Reader, mark byte, most int) (int, error) {
	var line []byte
	for len(line) == 0 || line[len(line)-1] != '\n' {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case len(line) == 0 && b != mark:
			return 0, protocolError("expected '" + string(mark) + "': send commands as arrays of bulk strings")
		case len(line) == maxLine:
			return 0, protocolError("a length is too long")
		}
		line = append(line, b)
	}
	n, err := strconv.Atoi(string(line[1:max(1, len(line)-2)]))
	if err != nil || n > most || line[len(line)-2] != '\r' {
		return 0, protocolError("a length is not a number, or larger than " + strconv.Itoa(most))
	}
	return n, nil
}
