package reload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// fixture is a worktree with a cache. Its clock stands unless it is turned.
type fixture struct {
	*testing.T
	cache *Cache
	w     Worktree
	root  string
	store string     // folder
	seal  *cold.Seal // nil: what is stored is open
	db    *cold.DB
	cfg   Config
	at    time.Time

	mu    sync.Mutex // guards what follows
	calls int
	was   map[string]string // files before the edits of a turn, which are taken back when it has ended
}

func newFixture(t *testing.T, files map[string]string) *fixture {
	d := &fixture{T: t, root: t.TempDir(), store: t.TempDir(), at: time.Now().Add(time.Hour), cfg: Config{MinSimilarity: .7},
		was: map[string]string{}}
	for name, text := range files {
		d.write(name, text)
	}
	d.w = Worktree{Root: event.Root(d.root), Files: d.files,
		Ignored: func(p event.Path) bool { return p.Ext() == ".secret" }, Apply: d.gitApply, Hash: hashIn(d.root),
		Blob: func(context.Context, string) []byte { return nil }}
	d.open(Options{})
	return d
}

// hashIn is Worktree.Hash for a folder.
func hashIn(root string) func(event.Path) string {
	return func(p event.Path) string {
		text, err := os.ReadFile(filepath.Join(root, string(p)))
		switch {
		case errors.Is(err, fs.ErrNotExist) && filepath.IsLocal(string(p)):
			return gone
		case err != nil:
			return ""
		}
		return index.BlobID(text)
	}
}

// gitApply is watcher.Repo.Apply.
func (d *fixture) gitApply(ctx context.Context, patch string, options ...string) error {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"apply", "--whitespace=nowarn"}, options)...)
	cmd.Dir, cmd.Stdin = d.root, strings.NewReader(patch)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(d.root))
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return err
}

// edit makes the edits of an action.
func (d *fixture) edit(a *Action) {
	if !a.changes() || len(a.Paths) != 1 || a.Cut {
		return
	}
	name := string(a.Paths[0])
	file := filepath.Join(d.root, name)
	st, err := os.Lstat(file)
	if err == nil && !st.Mode().IsRegular() {
		return
	}
	text := d.read(name)
	if a.Before = gone; err == nil {
		a.Before = index.BlobID([]byte(text))
	}
	if _, known := d.was[name]; !known && err == nil {
		d.was[name] = text
	}
	for _, s := range a.Edits {
		if a.Act == event.ActWrite {
			text = s.New
		} else {
			text = strings.ReplaceAll(text, s.Old, s.New)
		}
	}
	d.write(name, text)
}

// close ends the cache as a daemon does.
func (d *fixture) close() {
	d.Helper()
	fault.Check(d, errors.Join(d.cache.Close(d.Context()), d.cache.o.Blobs.Close(), d.db.Close()))
}

func (d *fixture) open(o Options) {
	d.Helper()
	o.Now, o.Config = func() time.Time { return d.at }, func() Config { return d.cfg }
	db := fault.Must(cold.Open(d.Context(), filepath.Join(d.store, "aoa.db"), cold.Options{Now: o.Now, Seal: d.seal}))
	d.db, o.DB = db, db
	o.Blobs = fault.Must(cold.OpenBlobs(d.Context(), filepath.Join(d.store, "cache.db"), cold.Options{Now: o.Now, Seal: d.seal}))
	saved := []byte(nil)
	if d.cache != nil {
		saved = fault.Must(d.cache.o.Turns.Snapshot())
	}
	o.Turns = NewTurns(func(agent string) bool { return agent == "claude" })
	fault.Check(d, o.Turns.Restore(saved))
	o.Place = func() Worktree { return d.w }
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	o.Log = slog.New(slog.DiscardHandler)
	d.cache = New(o)
	d.Cleanup(func() {
		_ = errors.Join(db.Close(), o.Blobs.Close()) // closed twice is closed
	})
}

func (d *fixture) files() (out []event.Path) {
	entries, _ := os.ReadDir(d.root)
	for _, e := range entries {
		out = append(out, event.Path(e.Name()))
	}
	return out
}

func (d *fixture) write(name, text string) {
	d.Helper()
	fault.Check(d, os.WriteFile(filepath.Join(d.root, name), []byte(text), 0o644))
}

func (d *fixture) read(name string) string {
	raw, err := os.ReadFile(filepath.Join(d.root, name))
	if err != nil {
		return ""
	}
	return string(raw)
}

func asked(prompt string) Ask {
	a := AskFor(prompt)
	a.ID = "prompt:" + prompt
	return a
}

// fold logs a batch, and lets the turns fold it.
func (d *fixture) fold(batch ...event.Event) {
	d.Helper()
	_, fresh, err := d.db.Append(d.Context(), batch)
	fault.Check(d, err)
	for _, e := range fresh {
		d.cache.o.Turns.Apply(e, nil, session.Delta{})
	}
}

// replayed reads the whole log again.
func (d *fixture) replayed() {
	d.Helper()
	fault.Check(d, d.cache.o.Turns.Restore(nil))
	fault.Check(d, d.db.Replay(d.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			d.cache.o.Turns.Apply(e, nil, session.Delta{})
		}
		return nil
	}))
	d.cache.makeEntries(d.Context(), true)
}

// apply logs events, each a batch, and lets the cache fold them.
func (d *fixture) apply(events ...event.Event) {
	d.Helper()
	for _, e := range events {
		d.cache.Keep([]event.Event{e})
		d.mu.Lock()
		d.fold(e)
		d.mu.Unlock()
	}
}

// begin begins a turn of a session.
func (d *fixture) begin(session, prompt string) {
	d.mu.Lock()
	d.calls++
	id := fmt.Sprint("prompt:", session, d.calls)
	d.mu.Unlock()
	d.apply(event.Event{ID: id, Time: d.at, Agent: "claude", Session: session, Body: event.Prompt{Text: prompt}})
}

// turn records what a prompt led to.
func (d *fixture) turn(session, prompt string, steps ...Action) {
	d.Helper()
	d.begin(session, prompt)
	d.did(session, steps...)
	d.end(session)
}

// end ends a turn, and makes its entry.
func (d *fixture) end(session string) {
	d.apply(event.Event{ID: fmt.Sprint("stop", session, d.at), Time: d.at, Agent: "claude", Session: session, Body: event.Stop{}})
	d.at = d.at.Add(time.Second)
	d.cache.makeEntries(d.Context(), false)
	for name, text := range d.was {
		d.write(name, text)
	}
	clear(d.was)
}

// did makes calls; one that is cut has failed.
func (d *fixture) did(session string, steps ...Action) {
	for _, s := range steps {
		d.mu.Lock()
		d.calls++
		id := fmt.Sprint("t", d.calls, ":post:")
		d.edit(&s)
		d.mu.Unlock()
		c := event.Call{Act: s.Act, Paths: s.Paths, Tool: s.Tool, Offset: s.Offset, Limit: s.Limit, Text: s.Pattern + s.Command,
			Folder: s.Folder, Glob: s.Glob, Mode: s.Mode, Fold: s.Fold, Checks: s.Checks, Secret: s.Secret, Edits: s.Edits,
			Before: s.Before, Seen: make([]event.Path, s.Found)}
		if s.Act == event.ActList {
			c.Text, c.Glob = s.Glob, ""
		}
		if s.Cut {
			c.Failure = event.FailStatus
		}
		if len(s.Paths) == 1 {
			if raw, err := os.ReadFile(filepath.Join(d.root, string(s.Paths[0]))); err == nil {
				c.Blob = index.BlobID(raw)
			}
		}
		d.apply(event.Event{ID: id, Time: d.at, Agent: "claude", Session: session, Body: c})
	}
}

// find returns the best entry for a prompt, "" if none exists.
func (d *fixture) find(prompt string) string {
	d.Helper()
	found := fault.Must(d.cache.Find(d.Context(), d.w, asked(prompt)))
	if len(found) == 0 {
		return ""
	}
	return found[0].Entry.ID
}

func (d *fixture) replay(r Request) Report {
	d.Helper()
	return fault.Must(d.cache.Replay(d.Context(), d.w, r))
}

func states(r Report) (out []string) {
	for _, s := range r.Steps {
		out = append(out, s.State)
	}
	return out
}

func (d *fixture) states(r Report, want ...string) {
	d.Helper()
	if got := states(r); !slices.Equal(got, want) {
		d.Fatalf("states %v, want %v: %+v", got, want, r)
	}
}

func reads(name string) Action {
	return Action{Tool: "Read", Act: event.ActRead, Paths: []event.Path{event.Path(name)}}
}

// looks are as many reads of a file as an offer needs.
func looks(name string) []Action { return slices.Repeat([]Action{reads(name)}, minSteps) }

func edits(name, old, now string) Action {
	return Action{Tool: "Edit", Act: event.ActEdit, Paths: []event.Path{event.Path(name)},
		Edits: []event.Swap{{Old: old, New: now}}}
}

func commands(line string) Action {
	return Action{Tool: "Bash", Act: event.ActRun, Command: line, Checks: strings.HasPrefix(line, "go test")}
}

// blobOf is the hash of a file.
func blobOf(t testing.TB, root, name string) string {
	return index.BlobID(fault.Must(os.ReadFile(filepath.Join(root, name))))
}
