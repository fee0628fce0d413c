package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/hot"
)

// Options of a Store. URL and Repo are required.
type Options struct {
	hot.Options
	URL    string // see config.ParseRedis
	Repo   string // the hash tag: keys are aoa:{Repo}:…
	Writer string // id of this daemon, for the applied-sequence key; "" is "local"
}

// Store is what one server keeps of one repository. Safe for concurrent use: any number of views beside one Apply.
type Store struct {
	keys   keys
	table  hot.Table
	clock  hot.Clock
	writer string
	client redis.UniversalClient

	mu      sync.Mutex        // one Apply, Claim, Forget or Resume at a time; guards all below
	epoch   string            // of the server, as this process knows it
	applied int64             // sequence of the last batch that was wholly applied
	step    int               // transactions of the next batch already applied
	latest  float64           // latest time of all events, Unix seconds
	grown   map[ownedKey]bool // owned sets written since the last tick
}

// ownedKey is an owned set.
type ownedKey struct {
	family *hot.Family
	epoch  int64
	owner  string
}

func (k ownedKey) read(members []string) *hot.SetRead {
	return &hot.SetRead{Family: k.family, Epoch: k.epoch, Owner: k.owner, Members: members}
}

// Fields of the meta hash.
const (
	metaNewest = "newest" // latest time of all events, Unix seconds
	metaEpoch  = "epoch:" // family → epoch of the last tick
)

// Open connects to a server. The error says what could not be reached; of a server that is down it comes after at most
// 2 s.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open shared store: %w", err)
	}
	return s, nil
}

func open(ctx context.Context, o Options) (*Store, error) {
	if o.Repo == "" {
		return nil, errors.New("Options.Repo is empty: name the repository")
	}
	place, err := config.ParseRedis(o.URL)
	if err != nil {
		return nil, fmt.Errorf("redis_url: %w", err)
	}
	table, err := hot.NewTable(o.Half, o.Keep)
	if err != nil {
		return nil, err
	}
	client, err := dial(place)
	if err != nil {
		return nil, err
	}
	s := &Store{keys: newKeys(cmp.Or(place.Prefix, "aoa"), o.Repo), table: table, clock: o.Now, writer: cmp.Or(o.Writer, "local"),
		client: client, latest: hot.Undated, grown: map[ownedKey]bool{}}
	if err := s.Resume(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the connection.
func (s *Store) Close() error { return s.client.Close() }

// Resume reads anew how far this writer had come on the server, and which server it is. To be called after a failed
// Apply or Claim. A server that was empty is given its epoch.
func (s *Store) Resume(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	pipe := s.client.Pipeline()
	first, epoch := pipe.SetNX(ctx, s.keys.server(), rand.Text(), 0), pipe.Get(ctx, s.keys.server())
	applied, latest := pipe.Get(ctx, s.keys.applied(s.writer)), pipe.HGet(ctx, s.keys.meta(), metaNewest)
	_, _ = pipe.Exec(ctx) // each answer has its own error
	for _, c := range []redis.Cmder{first, epoch, applied, latest} {
		if err := c.Err(); err != nil && !isNil(err) {
			return fmt.Errorf("read applied sequence: %w", err)
		}
	}
	s.epoch = epoch.Val()
	s.applied, s.step = parseMark(applied.Val())
	if f, err := strconv.ParseFloat(latest.Val(), 64); err == nil {
		s.latest = max(s.latest, f)
	}
	return nil
}

// Epoch names the server's state: another one, or none, means that the server was emptied or is another one.
func (s *Store) Epoch() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch
}

// Applied is the sequence of the last batch that this writer has wholly applied, 0 before the first.
func (s *Store) Applied(ctx context.Context) (int64, error) {
	v, err := s.client.Get(ctx, s.keys.applied(s.writer)).Result()
	if err != nil && !isNil(err) {
		return 0, fmt.Errorf("read applied sequence: %w", err)
	}
	seq, _ := parseMark(v)
	return seq, nil
}

// parseMark reads "41" or "41+2": batch 41 is whole, and two transactions of the next one are in.
func parseMark(v string) (seq int64, step int) {
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

func mark(seq int64, step int) string {
	if step == 0 {
		return strconv.FormatInt(seq, 10)
	}
	return strconv.FormatInt(seq, 10) + "+" + strconv.Itoa(step)
}

// Batch makes an empty batch with the store's half-lives.
func (s *Store) Batch() *hot.Batch { return s.table.Batch() }

// View begins a view of the server's scores and sessions as they are worth at that time.
func (s *Store) View(at time.Time) *hot.View { return hot.NewView(s, s.table, s.clock, at) }

// epochs are the epochs of a family that may hold anything a reader adds, now or a little before.
func (s *Store) epochs(f *hot.Family) []int64 {
	if f.Half == 0 {
		return []int64{0}
	}
	k, now := f.Epoch(s.latest), f.Epoch(s.clock.Believable(s.latest))
	out := []int64{k, k - 1, now, now - 1}
	slices.Sort(out)
	return slices.Compact(out)
}
