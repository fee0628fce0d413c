package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// erasure is one request to forget, from its intention to its end. Its file is written before anything is deleted and
// removed when nothing is left to do. A crash, a full disk, or another program that reads the old bytes leaves the file
// for the next attempt: within eraseEvery, and at the next start.
type erasure struct {
	file string

	Path    []byte    `json:"path,omitempty"` // bytes: a name in git need not be UTF-8
	Session []byte    `json:"session,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Asked   time.Time `json:"asked"` // events that happened later stay

	// What is done. Each part can be repeated, but a later event must not be deleted by the repetition.
	Told   bool `json:"told,omitempty"`   // the other clones will be told
	Log    bool `json:"log,omitempty"`    // it is out of the log
	Stores bool `json:"stores,omitempty"` // it is out of the other stores: only bytes in free space are left
}

// Where erasures lie in the store, and how often one that is not finished is tried again.
const (
	erasurePrefix = "forget-"
	eraseEvery    = time.Minute
)

// newErasure writes the intention. On an error nothing has changed.
func newErasure(store string, f cold.ForgetFilter, now time.Time) (*erasure, error) {
	e := &erasure{file: filepath.Join(store, erasurePrefix+rand.Text()+".json"), Path: []byte(f.Path),
		Session: []byte(f.Session),
		Since:   f.Since, Asked: now.UTC()}
	if err := e.save(); err != nil {
		return nil, fmt.Errorf("nothing was forgotten: %w", err)
	}
	return e, nil
}

// erasures reads the intentions that a store holds. the eraser is locked, or nothing is served yet: what a killed
// daemon was about to write is no intention, and goes.
func erasures(store string) (found []*erasure, err error) {
	entries, err := os.ReadDir(store)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if part, ok := atomicfile.PartOf(entry.Name()); ok && strings.HasPrefix(part, erasurePrefix) {
			err = errors.Join(err, os.Remove(filepath.Join(store, entry.Name())))
		}
		if ok, _ := filepath.Match(erasurePrefix+"*.json", entry.Name()); !ok {
			continue
		}
		e := &erasure{file: filepath.Join(store, entry.Name())}
		raw, rerr := regularfile.Read(e.file, regularfile.NoLinks, 1<<20)
		if rerr == nil {
			rerr = json.Unmarshal(raw, e)
		}
		if rerr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w: say again what to forget, then delete this file", e.file, rerr))
			continue
		}
		found = append(found, e)
	}
	return found, err
}

// save writes the file whole and to the disk. It drops the name once nothing needs it.
func (e *erasure) save() error {
	kept := *e
	if e.Log && e.Stores {
		kept.Path, kept.Session = nil, nil
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(e.file, atomicfile.Options{}, raw)
}

func (e *erasure) filter() cold.ForgetFilter {
	return cold.ForgetFilter{Path: event.Path(e.Path), Session: string(e.Session), Since: e.Since, Until: e.Asked}
}

// remove takes the intention away: nothing is left of what it names.
func (e *erasure) remove() error {
	if err := os.Remove(e.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// eraseLog finishes, before the scores are loaded, what an earlier daemon began to remove from the log. Where other
// clones are to be told, run does it. It returns why forgetting is not finished; nil: it is.
func eraseLog(ctx context.Context, b base, db *cold.DB) error {
	if b.settings.Get().RedisURL != "" {
		return nil
	}
	found, unfinished := erasures(b.settings.Store)
	for _, e := range found {
		if e.Log {
			unfinished = errErasing
			continue
		}
		if _, err := db.Forget(ctx, e.filter()); err != nil {
			unfinished = err
			continue
		}
		e.Log = true
		unfinished = cmp.Or(e.save(), errErasing)
	}
	return unfinished
}

// eraseStores finishes what an earlier daemon began to remove from the other stores, before anybody reads them.
func (r *eraser) eraseStores(ctx context.Context) {
	found, _ := erasures(r.settings.Store) // run reports what cannot be read
	for _, e := range found {
		if e.Log {
			if _, err := r.forgetStores(ctx, e); err != nil {
				r.notErased(err)
			}
		}
	}
}

// run finishes what earlier attempts to forget left.
func (r *eraser) run(ctx context.Context) error {
	for {
		r.eraseAll(ctx)
		if !pause(ctx, eraseEvery) {
			return nil
		}
	}
}

func (r *eraser) eraseAll(ctx context.Context) {
	r.erasing.Lock()
	defer r.erasing.Unlock()
	found, failed := erasures(r.settings.Store)
	for _, e := range found {
		if _, err := r.erase(ctx, e); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	r.notErased(failed)
	if failed != nil && ctx.Err() == nil {
		r.log.Warn("forgetting is not finished", "err", failed)
	}
}

// errErasing is why forgetting is not finished while run has not tried yet.
var errErasing = errors.New("it is under way")

// unfinished is why forgetting is not finished; nil: it is.
func (r *eraser) unfinished() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// notErased notes why forgetting is not finished; nil: it is.
func (r *eraser) notErased(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}
