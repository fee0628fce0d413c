package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
)

// sharing gives the log, batch after batch, to a server that the daemons of other clones learn into as well, and keeps a
// mirror of it in memory. The log is the list of what waits: the server knows how far it has come with it. Rankings read
// scores from the mirror once the server has all of the log, and from then on whatever becomes of the server. Sessions,
// thresholds and the snapshot stay this daemon's own.
type sharing struct {
	base
	repo    string // the hash tag of the keys
	db      *cold.DB
	hot     *hot.Store
	own     *live.Sessions
	events  *eventLog
	url     string
	wake    chan struct{} // a batch was learned; capacity 1
	edits   *remoteEdits
	mirrors mirrors

	sending  sync.Mutex     // held while batches are sent, or the server's copy of something is forgotten
	sessions *live.Sessions // as of the batch that was sent last
	learned  int64          // that batch

	mu      sync.Mutex // guards what follows
	link    *link      // nil: no server
	sent    int64      // newest batch that the server is known to have
	trouble error      // why there is no server; nil at the start and when there is one
}

// link is a connection and what learns over it.
type link struct {
	server  *redis.Store
	learner *learn.Learner
}

// How often the server is tried again.
const (
	shareAgain  = 250 * time.Millisecond // doubles
	shareAtMost = 15 * time.Second
)

func newSharing(b base, repo string, db *cold.DB, store *hot.Store, own *live.Sessions, events *eventLog, url string) *sharing {
	return &sharing{base: b, repo: repo, db: db, hot: store, own: own, events: events, url: url, wake: make(chan struct{}, 1),
		mirrors: mirrors{store: store}, edits: &remoteEdits{now: b.now, edits: map[event.Path]time.Time{}}}
}

// learnedStore is the store that the daemon's learner learns into.
type learnedStore struct {
	*hot.Store
	sharing *sharing
}

// Apply lets sharing know of the batch.
func (l *learnedStore) Apply(ctx context.Context, b *hot.Batch, seq int64) error {
	err := l.Store.Apply(ctx, b, seq)
	if err == nil && l.sharing.url != "" {
		l.sharing.mirrors.learned(b, seq)
		signal(l.sharing.wake)
	}
	return err
}

// run keeps the server up to date until ctx ends. It returns at once when nothing is shared.
func (s *sharing) run(ctx context.Context) error {
	if s.url == "" {
		return nil
	}
	for again := shareAgain; ctx.Err() == nil; again = min(2*again, shareAtMost) {
		linked, err := s.connected(ctx)
		if ctx.Err() != nil {
			break
		}
		s.broken(err)
		if linked {
			again = shareAgain
		}
		if !pause(ctx, again) {
			break
		}
	}
	return nil
}

// connected runs one connection until it breaks. linked reports whether it served for a while.
func (s *sharing) connected(ctx context.Context) (linked bool, err error) {
	l, err := s.connect(ctx)
	if err != nil {
		return false, err
	}
	defer l.server.Close()
	defer s.unlink()
	if err := s.read(ctx, l.server); err != nil {
		return false, err
	}
	g, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, func() { l.server.Close() })() // the library waits on its connection, whatever becomes of ctx
	g.Go(func() error { return s.feed(ctx, l, &linked) })
	g.Go(func() error { return follow(ctx, l.server) })
	err = g.Wait() // apart: linked counts once feed has ended
	return linked, err
}

// connect opens the server and checks that it is fit.
func (s *sharing) connect(ctx context.Context) (*link, error) {
	writer, err := writerID(ctx, s.db)
	if err != nil {
		return nil, err
	}
	server, err := redis.Open(ctx, redis.Options{URL: s.url, Repo: s.repo, Writer: writer, Loaded: s.mirrors.begin, Edited: s.edits.note,
		Now:     s.now,
		Learned: func(sent int64) (int64, error) { return s.sessionsAt(ctx, sent) }})
	if err != nil {
		return nil, err
	}
	if err = s.check(ctx, server); err == nil {
		err = s.identify(ctx, server)
	}
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return &link{server, learn.New(server, s.sessions, learn.Options{Fold: s.edits.add})}, nil
}

// sessionsAt makes the sessions those of a batch, or an earlier one, and says of which: those that were there when the last batch was
// sent, else those of now, else none, and the whole log is read again.
func (s *sharing) sessionsAt(ctx context.Context, sent int64) (int64, error) {
	if s.sessions != nil && s.learned <= sent {
		return s.learned, nil
	}
	s.sessions, s.learned = live.New(), 0
	err := s.events.queue.between(func() error {
		at, err := s.hot.Applied(ctx)
		if err == nil && at <= sent {
			s.sessions, s.learned = s.own.Copy(), at
		}
		return err
	})
	return s.learned, err
}

func (s *sharing) check(ctx context.Context, server *redis.Store) error {
	lacks, err := server.Check(ctx)
	for _, l := range lacks {
		if l.Harms {
			err = errors.Join(err, errors.New("the server lacks "+l.String()))
		} else {
			s.alert.Warn("redis_url: " + l.String())
		}
	}
	return err
}

// identify notices how far the server has come. One that was emptied, or lost its end, has less of this log than it had, and gets
// the rest again. One that has more than this log, which lost its end when the machine did, is not to skip what comes now.
func (s *sharing) identify(ctx context.Context, server *redis.Store) error {
	has := server.Sent()
	if before := s.setSent(has); has < before {
		s.log.Warn("the shared server was emptied, or has lost batches: it is given them again", "has", has, "had", before)
	}
	ahead, err := s.events.Advance(ctx, has)
	if ahead {
		s.log.Warn("the shared server has more of this log than is here: batches are numbered on from there", "has", has)
	}
	return err
}

// setSent returns what was known before.
func (s *sharing) setSent(seq int64) (before int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.sent = s.sent, seq
	return before
}

// read brings a mirror to the end of the server's stream: the one that answers, if it holds nothing else, or a new one.
func (s *sharing) read(ctx context.Context, server *redis.Store) error {
	if m := s.mirrors.goOn(server.Sent()); m != nil {
		return server.Resume(ctx, m)
	}
	return server.Load(ctx)
}

func (s *sharing) unlink() {
	s.mirrors.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link = nil
}

// follow carries out in the mirror what others and this daemon apply to the server.
func follow(ctx context.Context, server *redis.Store) error {
	for ctx.Err() == nil {
		err := server.Wait(ctx)
		if err == nil {
			err = server.Sync(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// feed sends what waits, then what comes.
func (s *sharing) feed(ctx context.Context, l *link, linked *bool) error {
	for {
		s.sending.Lock()
		err := s.catchUp(ctx, l)
		s.sending.Unlock()
		if err == nil && !*linked {
			err = l.server.Sync(ctx)
		}
		if err != nil {
			return err
		}
		if !*linked {
			*linked = true
			s.linked(l)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
	}
}

func (s *sharing) linked(l *link) {
	s.mirrors.share()
	s.mu.Lock()
	s.link = l
	before := s.trouble
	s.trouble = nil
	s.mu.Unlock()
	s.log.Info("shared", "server", backend(s.url), "batch", l.server.Sent(), "again", before != nil)
}

// broken notes that there is no server; a change is logged.
func (s *sharing) broken(err error) {
	s.mu.Lock()
	before := s.trouble
	s.trouble = err
	s.mu.Unlock()
	switch {
	case before != nil || err == nil:
	case errors.Is(err, redis.ErrMark):
		s.log.Info("the shared server is read again", "server", backend(s.url), "why", err)
	default:
		s.log.Warn("the shared server does not answer: answers come from what was read of it, and what is learned waits in the log",
			"server", backend(s.url), "err", err)
	}
}

// sendWindow is how many batches are sent per reading of the log: the store cannot shorten its own log meanwhile.
const sendWindow = 64

var errWindow = errors.New("enough for one reading")

// catchUp sends batch after batch until the server has all. Batches that it has already change sessions only. sending is
// held.
func (s *sharing) catchUp(ctx context.Context, l *link) error {
	for {
		at, err := l.server.Applied(ctx)
		if err != nil {
			return err
		}
		n := 0
		err = s.db.Replay(ctx, at, func(seq int64, batch []event.Event) error {
			if err := s.send(ctx, l, seq, batch); err != nil {
				return err
			}
			if n++; n == sendWindow {
				return errWindow
			}
			return nil
		})
		if !errors.Is(err, errWindow) {
			return err
		}
	}
}

// send makes the server learn one batch: of what several logs name only what this daemon is to count.
func (s *sharing) send(ctx context.Context, l *link, seq int64, batch []event.Event) error {
	if things, holders := claimsOf(batch); len(things) > 0 && seq > l.server.Sent() {
		won, err := l.server.Claim(ctx, seq, things)
		if err != nil {
			return err
		}
		batch = claimed(batch, holders, won)
	}
	if err := l.learner.Learn(ctx, batch, seq); err != nil {
		s.sessions = nil // they are newer than the server
		return err
	}
	s.learned = seq
	s.setSent(l.server.Sent())
	return nil
}

// linkedNow is the link to the server, nil when nothing is shared. It refuses when the server cannot be reached.
func (s *sharing) linkedNow() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url != "" && s.link == nil {
		return nil, &api.Error{Code: api.CodeBusy,
			Message: "the shared server does not answer: what it has cannot be forgotten", Hint: "aoa status"}
	}
	return s.link, nil
}

// exclusive runs fn with everything sent, and nothing being sent meanwhile; link is nil when nothing is shared. It refuses
// when the server cannot be reached.
func (s *sharing) exclusive(ctx context.Context, fn func(*link) error) error {
	if s.url == "" {
		return fn(nil)
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	l, err := s.linkedNow()
	if err != nil {
		return err
	}
	if err := s.catchUp(ctx, l); err != nil {
		return err
	}
	return fn(l)
}

// behind reports whether something of the log was not sent yet.
func (s *sharing) behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url != "" && s.sent < s.events.queue.last()
}

// troubles is what aoa status shows of the server; "" if nothing is wrong.
func (s *sharing) troubles() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits := max(0, s.events.queue.last()-s.sent)
	switch {
	case s.trouble == nil:
		return ""
	case errors.Is(s.trouble, redis.ErrNewer):
		return fmt.Sprintf("%s is not used, %d batches wait: %v", backend(s.url), waits, s.trouble)
	}
	return fmt.Sprintf("%s does not answer, %d batches wait: %v", backend(s.url), waits, s.trouble)
}
