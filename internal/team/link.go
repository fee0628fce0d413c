package team

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of the exchange.
const (
	maxStream = 200_000 // about how many entries the stream keeps
	// the newest own events that are published to a new or emptied stream, other clones having
	// their share of it
	maxPublished = maxStream / 2
	page         = 500  // entries read at once
	window       = 2000 // own events collected before they are published
	field        = "e"  // the field of a stream entry that holds the data
)

// link is a connection to the server, with the keys that it uses there.
type link struct {
	t            *Team
	client       redis.UniversalClient
	events, name string // keys of the stream and of its random name
}

func (t *Team) dial() (*link, error) {
	client, err := dial(t.o.URL)
	prefix := "aoa:{" + t.o.Repo + "}:" // the braces keep all keys of a repository on one node of a cluster
	return &link{t: t, client: client, events: prefix + "events", name: prefix + "stream"}, err
}

// round exchanges everything once: it publishes what the server lacks, and reads what the log
// lacks.
func (l *link) round(ctx context.Context) error {
	for _, step := range []func(context.Context) error{l.identify, l.tell, l.publish, l.read} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// identify detects a server that has lost data: a different server, or one whose stream lacks the
// newest own entry.
func (l *link) identify(ctx context.Context) error {
	name, err := l.client.Get(ctx, l.name).Result()
	if errors.Is(err, redis.Nil) {
		if err = l.client.SetNX(ctx, l.name, rand.Text(), 0).Err(); err == nil {
			name, err = l.client.Get(ctx, l.name).Result()
		}
	}
	if err != nil {
		return fmt.Errorf("read which stream it is: %w", err)
	}
	s := l.t.now()
	missing, err := l.missing(ctx, s.Entry)
	switch {
	case err != nil:
		return err
	case name == s.Stream && !missing:
		return nil
	case name == s.Stream: // the other daemons have to read the stream again, too
		name = rand.Text()
		if err := l.client.Set(ctx, l.name, name, 0).Err(); err != nil {
			return err
		}
		l.t.lost("the newest own entry is missing")
	case s.Stream != "":
		l.t.lost("it is another stream")
	}
	return l.t.update(ctx, func(s *state) {
		s.Stream, s.Read = name, ""
		if missing || s.Entry == "" {
			s.Sent, s.Entry = 0, ""
		}
	})
}

// missing reports whether an entry is gone from the stream although the stream still has older
// ones.
func (l *link) missing(ctx context.Context, entry string) (bool, error) {
	if entry == "" {
		return false, nil
	}
	found, err := l.client.XRangeN(ctx, l.events, entry, entry, 1).Result()
	if err != nil || len(found) > 0 {
		return false, err
	}
	length, err := l.client.XLen(ctx, l.events).Result()
	if err != nil || length < maxStream/2 {
		return true, err
	}
	first, err := l.client.XRangeN(ctx, l.events, "-", "+", 1).Result()
	return len(first) > 0 && entryTime(first[0].ID).Before(entryTime(entry)), err
}

// entryTime returns when an entry was appended, by the server's clock. The ID of the entry contains
// it.
func entryTime(id string) time.Time {
	ms, _, _ := strings.Cut(id, "-")
	n, _ := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n)
}

// tell appends an entry to the stream for each pending filter, which makes the other daemons forget
// the events. Then it deletes the matching own entries, so that new daemons never see them.
func (l *link) tell(ctx context.Context) error {
	for _, f := range l.t.now().Forgets {
		raw, err := encodeForget(l.t.o.Origin, rand.Text(), f)
		if err != nil {
			return err
		}
		id, err := l.client.XAdd(ctx, l.add(raw)).Result()
		if err == nil {
			if same, err := l.same(ctx); !same {
				return err
			}
			err = l.t.update(ctx, func(s *state) { s.Entry = id })
		}
		if err == nil {
			err = l.erase(ctx, f)
		}
		if err == nil {
			err = l.t.update(ctx, func(s *state) { s.Forgets = slices.Clone(s.Forgets[1:]) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *link) add(raw []byte) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: l.events, MaxLen: maxStream, Approx: true, Values: []any{field, raw}}
}

// erase deletes the own entries that a filter matches from the stream.
func (l *link) erase(ctx context.Context, f Filter) error {
	for start := ""; ; {
		found, next, err := l.after(ctx, start)
		if err != nil || next == start {
			return err
		}
		start = next
		var ids []string
		for _, m := range found {
			raw, _ := m.Values[field].(string)
			e, _, origin, err := decode(raw, entryTime(m.ID))
			if err == nil && origin == l.t.o.Origin && e.ID != "" && f.means(e) {
				ids = append(ids, m.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if err := l.client.XDel(ctx, l.events, ids...).Err(); err != nil {
			return err
		}
	}
}

var errWindow = errors.New("the limit of one reading of the log is reached")

// publish appends the own events that the log has after the last published batch.
func (l *link) publish(ctx context.Context) error {
	for {
		at, last := l.t.now().Sent, l.t.o.Log.Last()
		if at >= last {
			return nil
		}
		if at == 0 { // more would displace the events of other daemons
			at = max(0, last-maxPublished)
		}
		var entries [][]byte
		err := l.t.o.Log.Own(ctx, at, func(seq int64, batch []event.Event) error {
			if len(entries) >= window {
				return errWindow
			}
			at = seq
			for _, e := range batch {
				if raw, ok := encode(e, l.t.o.Origin, l.t.o.Words()); ok {
					entries = append(entries, raw)
				}
			}
			return nil
		})
		switch {
		case err == nil:
			at = max(at, last) // the batches up to last hold only commits and events of other clones
		case !errors.Is(err, errWindow):
			return err
		}
		ids, err := l.append(ctx, entries)
		same := false
		if err == nil {
			same, err = l.same(ctx)
		}
		if !same {
			l.withdraw(ctx, ids)
			return err
		}
		err = l.t.update(ctx, func(s *state) {
			if s.Sent = at; len(ids) > 0 {
				s.Entry = ids[len(ids)-1]
			}
		})
		if err != nil {
			return err
		}
	}
}

// same reports whether the stream is still the one that identify saw, with the newest own entry. If
// the server has lost data since then, what was just appended must not count as sent: it would be
// found as the newest own entry, and the entries before it would never be published again.
func (l *link) same(ctx context.Context) (bool, error) {
	s := l.t.now()
	name, err := l.client.Get(ctx, l.name).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil || name != s.Stream {
		return false, err
	}
	missing, err := l.missing(ctx, s.Entry)
	return err == nil && !missing, err
}

// append appends entries and returns their ids. After an error these are the ids of the entries that
// were appended all the same.
func (l *link) append(ctx context.Context, entries [][]byte) (ids []string, err error) {
	for chunk := range slices.Chunk(entries, page) {
		added := make([]*redis.StringCmd, 0, len(chunk))
		_, err := l.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, raw := range chunk {
				added = append(added, p.XAdd(ctx, l.add(raw)))
			}
			return nil
		})
		for _, a := range added {
			if id := a.Val(); id != "" {
				ids = append(ids, id)
			}
		}
		if err != nil {
			return ids, fmt.Errorf("publish events: %w", err)
		}
	}
	return ids, nil
}

// withdraw deletes entries that were appended and do not count as sent. Otherwise a new daemon would
// read them before older ones, which are published later, and would learn something else from them.
// Entries that cannot be deleted now are left.
func (l *link) withdraw(ctx context.Context, ids []string) {
	for chunk := range slices.Chunk(ids, page) {
		if l.client.XDel(ctx, l.events, chunk...).Err() != nil {
			return
		}
	}
}

// Timeouts of the connection to the server.
const (
	dialTimeout = 2 * time.Second
	poolSize    = 4
)

// readTimeout is how long a command may take. It is a variable so that tests on busy machines can
// raise it.
var readTimeout = 2 * time.Second

// noLog discards the messages of the Redis client library, which would go to stderr. The errors
// that the library returns say the same.
type noLog struct{}

func (noLog) Printf(context.Context, string, ...any) {}

var silence = sync.OnceFunc(func() { redis.SetLogger(noLog{}) })

// dial returns a client for the server. The client connects when it is used for the first time.
func dial(url string) (redis.UniversalClient, error) {
	silence()
	o, err := config.ParseRedis(url)
	if err != nil {
		return nil, err
	}
	o.ClientName, o.MaxRetries, o.DialerRetries, o.PoolSize = cmp.Or(o.ClientName, "aoa"), -1, 1, poolSize
	o.Protocol, o.DisableIdentity, o.ContextTimeoutEnabled = 2, true, true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTimeout, readTimeout, readTimeout
	connect := redis.NewDialer(&redis.Options{DialTimeout: dialTimeout, TLSConfig: o.TLSConfig})
	o.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "/") {
			network = "unix"
		}
		c, err := connect(ctx, network, address)
		return &boundedConn{Conn: c}, err
	}
	return redis.NewUniversalClient(o), nil
}

// maxAnswer is the largest answer of the server, in bytes. A page of 500 entries has at most 32 MB.
const maxAnswer = 64 << 20

var errAnswer = errors.New("the server's answer is larger than 64 MB")

// boundedConn is a connection that fails when an answer has more than maxAnswer bytes.
type boundedConn struct {
	net.Conn
	size atomic.Int64 // bytes read since the last write
}

func (b *boundedConn) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if b.size.Add(int64(n)) > maxAnswer {
		return 0, errAnswer
	}
	return n, err
}

func (b *boundedConn) Write(p []byte) (int, error) {
	b.size.Store(0)
	return b.Conn.Write(p)
}
