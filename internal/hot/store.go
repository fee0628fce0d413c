package hot

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/config"
)

// Options of a Store. Repo is required.
type Options struct {
	URL    string                   // see config.ParseRedis; "" embeds a server without a port
	Repo   string                   // the hash tag: keys are aoa:{Repo}:…
	Prefix string                   // in place of aoa; a URL's own counts first
	Writer string                   // id of this daemon, for the applied-sequence key; "" is "local"
	Now    func() time.Time         // tells times that cannot be yet; nil believes all
	Half   map[string]time.Duration // family name → half-life in place of the default, whole seconds
	Keep   map[string]int           // owned family name → members kept in place of the default
}

// Timeouts of a server. The embedded one has none: it lives in this process and always answers.
const (
	dialTimeout = 2 * time.Second
	poolSize    = 4
)

// readTimeout is what a command may take; tests on busy machines wait longer.
var readTimeout = 2 * time.Second

// Store is the hot store of one repository. Safe for concurrent use: any number of views beside one Apply.
type Store struct {
	keys     keys
	families families
	print    uint32 // of the families
	writer   string
	client   redis.UniversalClient
	embedded *miniredis.Miniredis // nil on a server
	place    config.Redis         // of a server
	db       *miniredis.RedisDB   // the embedded server's database

	// maps guards the sorted sets' own maps of the embedded server: views read them, each transaction writes them.
	maps sync.RWMutex

	packed packedSets // those that nobody has asked for since the start

	shared shared // where views read scores instead, see Share

	writing   sync.Mutex        // one Apply, Restore, Forget or Dirty at a time; guards all below
	epoch     string            // of the server, as this process knows it
	applied   int64             // sequence of the last batch that was wholly applied
	step      int               // transactions of the next batch already applied
	newest    float64           // latest time ever said, Unix seconds
	now       func() time.Time  // may be nil
	known     map[record]uint16 // embedded: every file, tag and term that has a score → families of which it owns sets
	dirty     map[record]bool   // changed since the last snapshot
	grown     map[ownedKey]bool // owned sets written since the last trim
	skipped   int               // records that Restore refused
	untracked bool              // nobody takes snapshots of it
	loose     int               // members written since the last Compact
}

// ownedKey is an owned set.
type ownedKey struct {
	family uint8
	epoch  int64
	owner  string
}

// Open starts the embedded server or connects to one. The error says what could not be reached; on a server that is
// down it comes after at most 2 s.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Repo == "" {
		return nil, errors.New("open hot store: Options.Repo is empty: name the repository")
	}
	fs, err := newFamilies(o.Half, o.Keep)
	if err != nil {
		return nil, fmt.Errorf("open hot store: %w", err)
	}
	if o.Writer == "" {
		o.Writer = "local"
	}
	place := config.Redis{}
	if o.URL != "" {
		if place, err = config.ParseRedis(o.URL); err != nil {
			return nil, fmt.Errorf("open hot store: redis_url: %w", err)
		}
	}
	s := &Store{place: place, keys: newKeys(cmp.Or(place.Prefix, o.Prefix, "aoa"), o.Repo), families: fs, print: fs.print(), writer: o.Writer, newest: undated, now: o.Now,
		known: map[record]uint16{}, dirty: map[record]bool{}, grown: map[ownedKey]bool{}}
	if o.URL == "" {
		err = s.embed()
	} else {
		err = s.dial()
	}
	if err != nil {
		return nil, fmt.Errorf("open hot store: %w", err)
	}
	if err := s.resume(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("open hot store: %w", err)
	}
	return s, nil
}

func (s *Store) embed() error {
	m := miniredis.NewMiniRedis()
	// Dial is the only way to start the server without a listener; its own unbuffered pipe is not used.
	c, err := m.Dial()
	if err != nil {
		return fmt.Errorf("start embedded server: %w", err)
	}
	c.Close()
	s.embedded, s.db = m, m.DB(0)
	server := m.Server()
	s.client = redis.NewClient(&redis.Options{
		Addr: "memory",
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			client, peer := newConns()
			server.ServeConn(peer)
			return client, nil
		},
		MaxRetries: -1, PoolSize: poolSize, Protocol: 2, DisableIdentity: true,
		ReadTimeout: -2, WriteTimeout: -2, ConnMaxIdleTime: -1,
	})
	return nil
}

// Resume reads anew how far this writer had come on the server, and which server it is. To be called after a failed
// Apply or Claim. A server that was empty is given its epoch.
func (s *Store) Resume(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.resume(ctx)
}

func (s *Store) resume(ctx context.Context) error {
	var applied, epoch *redis.StringCmd
	var newest *redis.StringCmd
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		if s.embedded == nil {
			p.SetNX(ctx, s.keys.server(), rand.Text(), 0)
		}
		epoch = p.Get(ctx, s.keys.server())
		applied = p.Get(ctx, s.keys.applied(s.writer))
		newest = p.HGet(ctx, s.keys.meta(), metaNewest)
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("read applied sequence: %w", err)
	}
	for _, c := range []*redis.StringCmd{epoch, applied, newest} {
		if err := c.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return fmt.Errorf("read applied sequence: %w", err)
		}
	}
	s.epoch = epoch.Val()
	s.applied, s.step = parseApplied(applied.Val())
	if f, err := strconv.ParseFloat(newest.Val(), 64); err == nil {
		s.newest = max(s.newest, f)
	}
	return nil
}

// Epoch names the server's state: another one, or none, means that the server was emptied or is another one.
func (s *Store) Epoch() string {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.epoch
}

// parseApplied reads "41" or "41+2": batch 41 is whole, and two transactions of the next one are in.
func parseApplied(v string) (seq int64, step int) {
	whole, part, _ := strings.Cut(v, "+")
	seq, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, 0
	}
	step, err = strconv.Atoi(part)
	if err != nil || step < 0 {
		step = 0
	}
	return seq, step
}

// Close ends the connection and, embedded, the server with everything in it.
func (s *Store) Close() error {
	err := s.client.Close()
	if s.embedded != nil {
		s.embedded.Close()
	}
	return err
}

// Applied is the sequence of the last batch that this writer has wholly applied, 0 before the first.
func (s *Store) Applied(ctx context.Context) (int64, error) {
	v, err := s.client.Get(ctx, s.keys.applied(s.writer)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, fmt.Errorf("read applied sequence: %w", err)
	}
	seq, _ := parseApplied(v)
	return seq, nil
}

// Size is what the store holds.
type Size struct {
	Files    int    // files with any score
	Sessions int    // live sessions
	Bytes    uint64 // a server's used_memory; embedded: this process's Go heap, the store included
	Skipped  int    // snapshot records that Restore refused
}

// Size counts. Of an unreachable server it knows only what this process knows.
func (s *Store) Size(ctx context.Context) Size {
	s.writing.Lock()
	size := Size{Skipped: s.skipped}
	for r := range s.known {
		if r.noun == nounPath {
			size.Files++
		}
	}
	s.writing.Unlock()
	size.Sessions = int(s.client.ZCard(ctx, s.keys.expiry()).Val())
	if s.embedded != nil {
		size.Bytes = heap()
		return size
	}
	size.Files = int(s.client.ZCard(ctx, s.keys.global(s.families.of(Recency), 0)).Val())
	for line := range strings.Lines(s.client.Info(ctx, "memory").Val()) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
			size.Bytes, _ = strconv.ParseUint(v, 10, 64) // absent on servers that hide it: 0
		}
	}
	return size
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
