package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// Log is the event log with the methods that a Team needs.
type Log interface {
	Last() int64 // number of the newest batch
	// Own calls fn with the batches of own events after a batch number, in order.
	Own(ctx context.Context, after int64, fn func(seq int64, batch []event.Event) error) error
	// Take adds those events of other clones that are not in the log yet. It returns after they
	// were learned.
	Take(ctx context.Context, events []event.Event) error
	// Forget deletes the events of other clones for which meant returns true.
	Forget(ctx context.Context, meant func(event.Event) bool) (gone int, err error)
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
}

// Options are the settings of a Team. All are required, but without a URL nothing is exchanged.
type Options struct {
	URL    string      // redis_url
	Repo   string      // the same for all clones
	Origin string      // a random name of this log, see crypto/rand.Text
	Words  func() bool // whether words of prompts and patterns may leave the machine
	Log    Log
	Now    func() time.Time
	Info   *slog.Logger
	Alert  *slog.Logger // its warnings are shown by aoa status
}

// Team exchanges the events of one daemon. It is safe for concurrent use.
type Team struct {
	o    Options
	wake schedule.Signal // there may be events to publish

	mu      sync.Mutex // guards the fields below
	state   state
	linked  bool  // the last round succeeded
	trouble error // why the last round failed
	gap     time.Time
	origins map[string]*Origin
	met     int64 // how many times an origin was met
}

// state is the part of a Team that is saved in the log.
type state struct {
	// the incarnation of the stream: a random name that is stored next to it
	Stream  string   `json:"stream,omitempty"`
	Read    string   `json:"read,omitempty"`    // ID of the entry that was read last
	Sent    int64    `json:"sent,omitempty"`    // number of the own batch that was published last
	Entry   string   `json:"entry,omitempty"`   // ID of the newest own entry
	Forgets []Filter `json:"forgets,omitempty"` // filters that the other daemons do not have yet
	Removed []string `json:"removed,omitempty"` // origins whose entries are refused
}

// metaState is the key under which the log stores the state.
const metaState = "team"

// Origin is what is known about another daemon since this one started.
type Origin struct {
	Events  int       `json:"events"` // in the log; set by the daemon
	Newest  time.Time `json:"newest,omitzero"`
	Refused int       `json:"refused"`       // refused entries
	Why     string    `json:"why,omitempty"` // why the last of them was refused
	met     int64     // value of Team.met when it was last met: the largest is the most recent
}

// maxOrigins is how many origins are remembered. Beyond it the one that was met longest ago is
// dropped.
const maxOrigins = 256

// readEvery is how often the stream is read. tryAgain is the first pause before a failed exchange
// is repeated.
const (
	readEvery = time.Second
	tryAgain  = 250 * time.Millisecond // doubled after each failure
	tryAtMost = 15 * time.Second
)

// New returns a Team with the state that the log stores. It does not connect.
func New(ctx context.Context, o Options) (*Team, error) {
	t := &Team{o: o, wake: schedule.NewSignal(), origins: map[string]*Origin{}}
	raw, err := o.Log.Meta(ctx, metaState)
	if err == nil && raw != "" && json.Unmarshal([]byte(raw), &t.state) != nil {
		t.state = state{} // publish and read everything again
	}
	return t, err
}

// update changes the state and saves it in the log.
func (t *Team) update(ctx context.Context, change func(*state)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := t.state
	change(&next)
	raw, err := json.Marshal(next)
	if err == nil {
		err = t.o.Log.SetMeta(context.WithoutCancel(ctx), metaState, string(raw))
	}
	if err == nil {
		t.state = next
	}
	return err
}

func (t *Team) now() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// Logged tells the Team that own events were added to the log.
func (t *Team) Logged() { t.wake.Give() }

// Forget makes the other daemons forget the events that this log forgets, as soon as the server can
// be reached. The request is durable when Forget returns.
func (t *Team) Forget(ctx context.Context, f Filter) error {
	if t.o.URL == "" && t.now().Stream == "" {
		return nil // nothing was ever published
	}
	defer t.Logged()
	return t.update(ctx, func(s *state) { s.Forgets = append(slices.Clone(s.Forgets), f) })
}

// Remove refuses all entries of an origin from now on. name may be the beginning of one of the
// known names. It returns the whole name.
func (t *Team) Remove(ctx context.Context, name string, known []string) (string, error) {
	var found []string
	for _, k := range known {
		if name != "" && strings.HasPrefix(k, strings.ToUpper(name)) {
			found = append(found, k)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%q could be any of %d origins", name, len(found))
	}
	return found[0], t.update(ctx, func(s *state) {
		if !slices.Contains(s.Removed, found[0]) {
			s.Removed = append(slices.Clone(s.Removed), found[0])
		}
	})
}

// Run exchanges events until ctx ends. It returns at once when nothing is exchanged.
func (t *Team) Run(ctx context.Context) error {
	for again := tryAgain; t.o.URL != "" && ctx.Err() == nil; again = min(2*again, tryAtMost) {
		linked, err := t.exchange(ctx)
		if ctx.Err() != nil {
			break
		}
		t.note(err)
		if linked {
			again = tryAgain
		}
		pause(ctx, again, nil)
	}
	return nil
}

// exchange uses one client until it fails. linked reports whether at least one round succeeded.
func (t *Team) exchange(ctx context.Context) (linked bool, err error) {
	l, err := t.dial()
	if err != nil {
		return false, err
	}
	defer l.client.Close()
	// the library waits for its connection even if ctx has ended
	defer context.AfterFunc(ctx, func() { l.client.Close() })()
	for ctx.Err() == nil {
		if err := l.round(ctx); err != nil {
			return linked, err
		}
		linked = true
		t.note(nil)
		pause(ctx, readEvery, t.wake)
	}
	return linked, nil
}

// pause waits for a time, or until wake receives a value.
func pause(ctx context.Context, d time.Duration, wake schedule.Signal) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
}

// note records how the last round ended. A change is logged.
func (t *Team) note(err error) {
	t.mu.Lock()
	before, first := t.trouble, !t.linked
	t.trouble, t.linked = err, err == nil
	t.mu.Unlock()
	switch {
	case err != nil && before == nil:
		t.o.Info.Warn("the exchange with the team's server failed: events wait in the log", "server", t.server(), "err", err)
	case err == nil && first:
		t.o.Info.Info("the team's events are exchanged", "server", t.server(), "again", before != nil)
	}
}

// server returns the name of the server without its password.
func (t *Team) server() string { return config.RedisName(t.o.URL) }

// lost records that the server has lost data.
func (t *Team) lost(why string) {
	t.mu.Lock()
	t.gap = t.o.Now()
	t.mu.Unlock()
	t.o.Info.Warn("the team's server was emptied, restored or replaced: "+
		"aOa publishes its own events again, and reads all of the server's", "server", t.server(), "why", why)
}

// refuse counts a refused entry. The first one of an origin is logged as a warning.
func (t *Team) refuse(origin string, why error) {
	t.mu.Lock()
	o := t.origin(cmp.Or(origin, "unknown"))
	o.Refused++
	o.Why = why.Error()
	first := o.Refused == 1
	t.mu.Unlock()
	if first {
		t.o.Alert.Warn("entries of a member of the team are refused, aoa status counts them; "+
			"if you do not trust it: aoa forget --origin", "origin", cmp.Or(origin, "unknown"), "why", why)
	}
}

// origin returns the record of an origin. A new record replaces, when there are maxOrigins, the one
// that was met longest ago. t.mu must be held.
func (t *Team) origin(name string) *Origin {
	o := t.origins[name]
	if o == nil {
		if len(t.origins) >= maxOrigins {
			delete(t.origins, slices.MinFunc(slices.Collect(maps.Keys(t.origins)), func(a, b string) int {
				return cmp.Compare(t.origins[a].met, t.origins[b].met)
			}))
		}
		o = &Origin{}
		t.origins[name] = o
	}
	t.met++
	o.met = t.met
	return o
}

var errRemoved = errors.New("it was removed here")

// admit records that an origin was met. The error says that its entries are refused.
func (t *Team) admit(origin string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(t.state.Removed, origin) {
		return errRemoved
	}
	t.origin(origin)
	return nil
}

// Status is the state of the exchange.
type Status struct {
	Server  string `json:"server"` // redis_url without its password; "" for none
	Linked  bool   `json:"linked"`
	Trouble error  `json:"-"`
	Waiting int64  `json:"waiting"` // own batches that are not published yet
	Forgets int    `json:"forgets"` // filters that the other daemons do not have yet
	// when the server was last found to have lost data, since the start
	Gap     time.Time         `json:"gap,omitzero"`
	Removed []string          `json:"removed,omitempty"` // origins whose entries are refused
	Origins map[string]Origin `json:"origins"`           // by name: the origins that were met since the start
}

// Status returns the state of the exchange.
func (t *Team) Status() Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := Status{Removed: t.state.Removed, Origins: map[string]Origin{}}
	if t.o.URL == "" {
		return s
	}
	s.Server, s.Linked, s.Trouble, s.Gap, s.Forgets = t.server(), t.linked, t.trouble, t.gap, len(t.state.Forgets)
	s.Waiting = max(0, t.o.Log.Last()-t.state.Sent)
	for name, o := range t.origins {
		s.Origins[name] = *o
	}
	return s
}

// Troubles describes what is wrong with the exchange, one sentence each.
func (st Status) Troubles() (out []string) {
	if st.Trouble != nil {
		out = append(out, fmt.Sprintf("the exchange with %s failed, %d batches wait: %v", st.Server, st.Waiting, st.Trouble))
	}
	if !st.Gap.IsZero() {
		out = append(out, fmt.Sprintf("%s had lost events at %s, so aOa published its own again", st.Server,
			st.Gap.UTC().Format("2006-01-02 15:04 MST")))
	}
	if st.Forgets > 0 {
		out = append(out, fmt.Sprintf("%d requests to forget have not reached the other clones yet", st.Forgets))
	}
	return out
}
