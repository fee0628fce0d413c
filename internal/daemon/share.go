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
	"github.com/aoa-dev/aoa/learn"
)

// sharing gives the log, batch after batch, to a server that the daemons of other clones learn into as well. The log is
// the list of what waits: the server knows how far it has come with it. As long as the server answers and has all,
// rankings read scores there; sessions, thresholds and the snapshot stay this daemon's own, and so does what is
// answered while there is no server.
type sharing struct {
	base
	repo   string // the hash tag of the keys
	db     *cold.DB
	hot    *hot.Store
	events *eventLog
	url    string
	wake   chan struct{} // there is something to send; capacity 1
	edits  *remoteEdits
	lost   chan error // a question found the server gone; capacity 1

	sending sync.Mutex // held while batches are sent, or the server's copy of something is forgotten

	mu      sync.Mutex // guards what follows
	link    *link      // nil: no server
	at      int64      // newest batch that the server is known to have
	trouble error      // why there is no server; nil at the start and when there is one
	slow    bool       // there is one, and questions do not wait for it
}

// link is one connection's store and what learns into it.
type link struct {
	far     *redis.Store
	learner *learn.Learner
}

// How often the server is tried again, and looked at without a hint.
const (
	shareAgain  = 250 * time.Millisecond // doubles
	shareAtMost = 15 * time.Second
	shareLook   = 5 * time.Second
)

func newSharing(b base, repo string, db *cold.DB, store *hot.Store, events *eventLog, url string) *sharing {
	return &sharing{base: b, repo: repo, db: db, hot: store, events: events, url: url, wake: make(chan struct{}, 1), lost: make(chan error, 1),
		edits: &remoteEdits{now: b.now, edits: map[event.Path]hot.Notice{}}}
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
	select {
	case <-s.lost: // of the connection before
	default:
	}
	l, err := s.connect(ctx)
	if err != nil {
		return false, err
	}
	defer l.far.Close()
	defer s.unlink()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.follow(ctx, l, &linked) })
	g.Go(func() error { return s.edits.listen(ctx, l.far) })
	g.Go(func() error { return s.watchLost(ctx) })
	err = g.Wait() // apart: linked counts once follow has ended
	return linked, err
}

func (s *sharing) unlink() {
	s.hot.Share(nil, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link = nil
}

// connect opens the server and checks that it is fit, and whether it is the same as before.
func (s *sharing) connect(ctx context.Context) (*link, error) {
	cfg := s.settings.get()
	writer, err := writerID(ctx, s.db)
	if err != nil {
		return nil, err
	}
	far, err := redis.Open(ctx, redis.Options{URL: s.url, Repo: s.repo, Writer: writer,
		Options: hot.Options{Now: s.now, Half: cfg.HalfLives}})
	if err != nil {
		return nil, err
	}
	l := &link{far: far, learner: learn.New(far, learn.Options{Own: writer + "/", Fold: s.edits.add})}
	if err = s.check(ctx, far); err == nil {
		err = s.identify(ctx, far)
	}
	if err != nil {
		return nil, errors.Join(err, far.Close())
	}
	return l, nil
}

func (s *sharing) check(ctx context.Context, far *redis.Store) error {
	lacks, err := far.Check(ctx)
	for _, l := range lacks {
		if l.Harms {
			err = errors.Join(err, errors.New("the server lacks "+l.String()))
		} else {
			s.alert.Warn("redis_url: " + l.String())
		}
	}
	return err
}

// metaEpoch is under what the log keeps which server it was given to.
const metaEpoch = "server_epoch"

// identify notices a server that was emptied, or is another one: it has nothing of this log, or less, and gets it
// again. One that has more than this log, which lost its end when the machine did, is not to skip what comes now.
func (s *sharing) identify(ctx context.Context, far *redis.Store) error {
	known, err := s.db.Meta(ctx, metaEpoch)
	if err != nil {
		return err
	}
	at, err := far.Applied(ctx)
	if err != nil {
		return err
	}
	if epoch := far.Epoch(); known != epoch {
		if known != "" {
			s.log.Warn("the shared server was emptied, or is another one: it is given what this daemon knows", "has", at)
		}
		if err := s.db.SetMeta(ctx, metaEpoch, epoch); err != nil {
			return err
		}
	}
	ahead, err := s.events.Advance(ctx, at)
	if ahead {
		s.log.Warn("the shared server has more of this log than is here: batches are numbered on from there", "has", at)
	}
	s.setSent(at)
	return err
}

func (s *sharing) setSent(at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
}

// follow sends what waits, then what comes.
func (s *sharing) follow(ctx context.Context, l *link, linked *bool) error {
	look := time.NewTicker(shareLook)
	defer look.Stop()
	for {
		s.sending.Lock()
		err := s.catchUp(ctx, l)
		s.sending.Unlock()
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
		case <-look.C:
			s.quicken(ctx, l)
		}
	}
}

func (s *sharing) linked(l *link) {
	s.mu.Lock()
	s.link = l
	before := s.trouble
	s.trouble, s.slow = nil, false
	s.mu.Unlock()
	s.ask(l)
	s.log.Info("shared", "server", backend(s.url), "batch", s.sent(), "again", before != nil)
}

// broken notes that there is no server; a change is logged.
func (s *sharing) broken(err error) {
	s.mu.Lock()
	before := s.trouble
	s.trouble = err
	s.mu.Unlock()
	if before == nil && err != nil {
		s.log.Warn("the shared server does not answer: answers come from what this daemon knows, and what it learns waits in its log",
			"server", backend(s.url), "err", err)
	}
}

func (s *sharing) sent() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// sendWindow is how many batches are sent per reading of the log: the store cannot shorten its own log meanwhile.
const sendWindow = 64

var errWindow = errors.New("enough for one reading")

// catchUp sends batch after batch until the server has all. sending is held.
func (s *sharing) catchUp(ctx context.Context, l *link) error {
	for tries := 0; ; {
		sent := 0
		err := s.db.Replay(ctx, s.sent(), func(seq int64, batch []event.Event) error {
			if err := s.send(ctx, l, seq, batch); err != nil {
				return err
			}
			s.setSent(seq)
			if sent++; sent == sendWindow {
				return errWindow
			}
			return nil
		})
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errWindow):
			tries = 0
		case errors.Is(err, redis.ErrMark) && tries < 3: // a fail-over lost the newest batches, or an answer was lost
			tries++
			if err := s.resume(ctx, l); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// resume asks the server how far it has come, after it was found at another batch.
func (s *sharing) resume(ctx context.Context, l *link) error {
	l.learner.Reset()
	if err := l.far.Resume(ctx); err != nil {
		return err
	}
	at, err := l.far.Applied(ctx)
	if err == nil {
		s.setSent(at)
	}
	return err
}

// linkedNow is the link to the server, nil when nothing is shared. It refuses when the server cannot be reached.
func (s *sharing) linkedNow() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url != "" && s.link == nil {
		return nil, &api.Error{Code: api.CodeBusy, Message: "the shared server does not answer: what it has cannot be forgotten", Hint: "aoa status"}
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

// send makes the server learn one batch: of what several logs name only what this daemon is to count.
func (s *sharing) send(ctx context.Context, l *link, seq int64, batch []event.Event) error {
	things, holders := claimsOf(batch)
	if len(things) > 0 {
		mine, err := l.far.Claim(ctx, seq, things)
		if err != nil {
			return err
		}
		batch = claimed(batch, holders, mine)
	}
	return l.learner.Learn(ctx, batch, seq)
}

// behind reports whether something of the log was not sent yet.
func (s *sharing) behind() bool { return s.url != "" && s.sent() < s.events.queue.last() }

// troubles is what aoa status shows of the server; "" if nothing is wrong.
func (s *sharing) troubles() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble == nil && s.slow {
		return backend(s.url) + " is too slow for questions: they are answered from what this daemon knows"
	}
	if s.trouble == nil {
		return ""
	}
	return fmt.Sprintf("%s does not answer, %d batches wait: %v", backend(s.url), max(0, s.events.queue.last()-s.at), s.trouble)
}
