package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/hot"
)

// Options of a Store. URL and Repo are required.
type Options struct {
	Now    hot.Clock // nil believes every time
	URL    string    // see config.ParseRedis
	Repo   string    // the hash tag of all keys
	Writer string    // id of this daemon, under which the server keeps how far it has come; "" is "local"

	// Learned is the batch up to which the sessions of this writer are, at most the one up to which the server has it: the batches
	// since are to be applied again, which changes sessions only. nil: 0.
	Learned func(sent int64) (int64, error)
	Loaded  func(*Mirror)  // called with each mirror that is loaded, when it is whole; may be nil
	Edited  func(hot.Edit) // called for each edit of another daemon that a mirror reads; may be nil
}

// Store is a connection to the server that keeps the scores of one repository. Safe for concurrent use.
type Store struct {
	keys    keys
	clock   hot.Clock
	writer  string
	client  redis.UniversalClient
	learned int64 // batch up to which the sessions are
	loaded  func(*Mirror)
	edited  func(hot.Edit)
	applied atomic.Int64 // sequence of the last batch that the server has wholly

	mu     sync.Mutex // one Apply, Claim or Forget at a time; guards what follows
	step   int        // steps of the next batch that the server has
	latest float64    // latest time of all events, Unix seconds

	reading sync.Mutex // one Load or Sync at a time; guards mirror
	mirror  *Mirror
}

// Open connects to a server. The error names what could not be reached; of a server that is down it comes after at most
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
	client, err := dial(place)
	if err != nil {
		return nil, err
	}
	s := &Store{keys: newKeys(cmp.Or(place.Prefix, "aoa"), o.Repo), clock: o.Now, writer: cmp.Or(o.Writer, "local"),
		client: client, loaded: o.Loaded, edited: o.Edited, latest: hot.Undated}
	if err = s.identify(ctx); err == nil && o.Learned != nil {
		s.learned, err = o.Learned(s.Sent())
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// identify checks the version and reads how far this writer has come.
func (s *Store) identify(ctx context.Context) error {
	pipe := s.client.Pipeline()
	first, version, applied := pipe.SetNX(ctx, s.keys.version, protocol, 0), pipe.Get(ctx, s.keys.version),
		pipe.HGet(ctx, s.keys.applied(), s.writer)
	_, _ = pipe.Exec(ctx) // each answer has its own error
	for _, c := range []redis.Cmder{first, version, applied} {
		if err := c.Err(); err != nil && !isNil(err) {
			return fmt.Errorf("read applied sequence: %w", err)
		}
	}
	if n, err := version.Int(); err != nil || n > protocol {
		return fmt.Errorf("%w: its protocol is %q, this one knows %d: update aOa on this machine", ErrNewer, version.Val(), protocol)
	}
	seq, step := parseMark(applied.Val())
	s.applied.Store(seq)
	s.step = step
	return nil
}

// Close ends the connection, also while somebody waits for an answer.
func (s *Store) Close() error { return s.client.Close() }

// Sent is the sequence of the last batch of this writer that the server has wholly, 0 before the first.
func (s *Store) Sent() int64 { return s.applied.Load() }

// parseMark reads "41" or "41+2": batch 41 is whole, and two steps of the next one are in.
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

// Applied is the batch up to which the sessions are.
func (s *Store) Applied(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.learned, nil
}
