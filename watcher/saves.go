package watcher

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// The events of the watcher. The agent is "watch", except for branch.
//
//	save    one per file. Time is the file's mtime, but not later than now. If the file is as old as
//	        before or older, it was moved in, and Time is now. The ID is
//	        "save:<path>:<time ns>:<size>"
//	save    with Tool "bulk": more than bulkSize files changed in one go. Paths has up to
//	        event.MaxPaths of them, Text their number ("10000 files"). Learning does not count
//	        such files as edited, because what a formatter or a generator writes does not show
//	        what a person works on
//	delete  one per file, or one for all with Tool "bulk"
//	rename  files that were deleted and appeared elsewhere unchanged; one event for all files of
//	        one operation
//	branch  agent "git": another branch was checked out. Paths is empty, Text is the branch's
//	        short name, or the commit's id if HEAD is detached

// fileChange is a file that changed.
type fileChange struct {
	path     event.Path
	old, now stamp
	had      bool // the file was known before
	gone     bool
}

// resolve returns the events of the paths that changed. If git wrote a file, its new state is only
// recorded, before git is asked, because the file may change again meanwhile. A file that keeps its
// state under another name counts always, because git writes a new file.
func (w *Watcher) resolve(ctx context.Context, paths []event.Path, by writer, at time.Time) []event.Event {
	var saved, gone []fileChange
	for _, p := range paths {
		f, changed := w.compareFile(p)
		switch {
		case !changed:
		case f.gone:
			gone = append(gone, f)
		default:
			saved = append(saved, f)
		}
	}
	if len(gone) > 0 {
		w.tree.prune()
	}
	byPath := func(a, b fileChange) int { return cmp.Compare(a.path, b.path) }
	slices.SortFunc(saved, byPath)
	slices.SortFunc(gone, byPath)
	moved, saved, gone := pairRenames(saved, gone)
	for _, m := range moved {
		w.held.rename(m.from, m.to)
	}
	if w.headMoved {
		w.renamed = nil // what is committed is taken back by another commit
	}
	moved = append(moved, w.renamed.undone(gone, func(p event.Path) bool { return exists(w.abs(string(p))) })...)
	w.renamed = w.renamed.with(moved)
	peoples := w.notGits(ctx, saved, gone, by)
	gits := func(f fileChange) bool {
		if peoples == nil || peoples[f.path] {
			return false
		}
		if w.headMoved { // git brought another version, so writing the earlier one again is a save
			w.held.forget(f.path)
		}
		return true
	}
	saved, gone = slices.DeleteFunc(saved, gits), slices.DeleteFunc(gone, gits)
	for _, f := range gone {
		w.held.forget(f.path)
	}
	saved = slices.DeleteFunc(saved, func(f fileChange) bool { return !w.held.renew(w.repo.Root, f.path) })
	events := renameEvents(moved, at)
	events = append(events, w.events(event.KindSave, saved, at)...)
	return append(events, w.events(event.KindDelete, gone, at)...)
}

// notGits returns those of the changed files that people wrote: they are gone, or git does not have
// their content. If git was working on them, they must also differ from the index, unless git cannot
// tell. It returns nil if only people can have written them.
func (w *Watcher) notGits(ctx context.Context, saved, gone []fileChange, by writer) map[event.Path]bool {
	if by == people || len(saved)+len(gone) == 0 {
		return nil
	}
	out := map[event.Path]bool{}
	counts := func(event.Path) bool { return true }
	if by == maybeGit {
		differ, err := w.differing(ctx)
		switch {
		case err == nil:
			counts = func(p event.Path) bool { return differ[p] }
		case ctx.Err() != nil || !exists(w.abs(".git")): // git worktree remove deletes it among the first files
			return out
		default:
			w.o.Log.Warn("git status failed: what git changed may count as saved", "files", len(saved)+len(gone), "error", err)
		}
	}
	var there []event.Path
	for _, f := range saved {
		if counts(f.path) {
			there = append(there, f.path)
		}
	}
	for _, p := range w.repo.Written(ctx, there) {
		out[p] = true
	}
	for _, f := range gone {
		out[f.path] = counts(f.path)
	}
	return out
}

// compareFile compares a file with its last known state and records the new one.
func (w *Watcher) compareFile(p event.Path) (f fileChange, changed bool) {
	d := w.tree.find(p.Dir())
	f.path = p
	if d != nil {
		f.old, f.had = d.files[p.Base()]
	}
	fi, err := w.lstat(p)
	if err != nil || !fi.Mode().IsRegular() {
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return f, false // no permission, so nothing is known about the file
		}
		if f.had {
			delete(d.files, p.Base())
		}
		f.gone = true
		return f, f.had
	}
	f.now = stampOf(fi)
	if f.had && f.old.same(f.now) {
		return f, false
	}
	if !f.had && !w.counts(p) {
		return f, false
	}
	w.tree.makeDir(p.Dir()).files[p.Base()] = f.now
	return f, true
}

// counts reports whether a file that git does not track may be saved.
func (w *Watcher) counts(p event.Path) bool {
	return !temporary.MatchString(p.Base()) && !w.tree.foreign(p.Dir()) && !w.repo.Ignored(p)
}

// lstat is os.Lstat for a file of the worktree. A file behind a link to a folder does not exist, as
// for git.
func (w *Watcher) lstat(p event.Path) (fs.FileInfo, error) {
	for dir := p.Dir(); dir != ""; dir = event.Path(dir).Dir() {
		if fi, err := os.Lstat(w.abs(dir)); err == nil && !fi.IsDir() {
			return nil, fs.ErrNotExist
		}
	}
	return os.Lstat(w.abs(string(p)))
}

// pairRenames pairs files that were deleted under one name and appeared under another with the same
// size, time and inode (or, if the system has no inodes, the same base name).
func pairRenames(saved, gone []fileChange) (moved []rename, restSaved, restGone []fileChange) {
	if len(saved) == 0 || len(gone) == 0 {
		return nil, saved, gone
	}
	type mark struct {
		stamp
		base string
	}
	key := func(s stamp, p event.Path) mark {
		if s.inode != 0 {
			return mark{stamp: s}
		}
		return mark{s, p.Base()}
	}
	left := map[mark][]fileChange{} // more than one are hard links
	for _, f := range gone {
		if f.old.size != unknownSize {
			left[key(f.old, f.path)] = append(left[key(f.old, f.path)], f)
		}
	}
	from := map[event.Path]bool{}
	for _, f := range saved {
		k := key(f.now, f.path)
		if len(left[k]) == 0 || f.had {
			restSaved = append(restSaved, f)
			continue
		}
		from[left[k][0].path] = true
		moved = append(moved, rename{left[k][0].path, f.path})
		left[k] = left[k][1:]
	}
	for _, f := range gone {
		if !from[f.path] {
			restGone = append(restGone, f)
		}
	}
	return moved, restSaved, restGone
}

// events returns one event per file, or a single event for all if there are more than w.bulk.
func (w *Watcher) events(kind event.Kind, found []fileChange, at time.Time) []event.Event {
	out := make([]event.Event, 0, len(found))
	for _, f := range found {
		e := event.Event{Agent: "watch", Time: at.UTC(), Body: bodyOf(kind, []event.Path{f.path}, 0)}
		t := time.Unix(0, f.now.mtime)
		moved := t.Before(w.start) || f.had && f.now.mtime <= f.old.mtime
		if kind == event.KindSave && f.now.mtime > 0 && !moved && t.Before(at) {
			e.Time = t.UTC()
		}
		e.ID = string(kind) + ":" + string(f.path) + ":" + strconv.FormatInt(e.Time.UnixNano(), 10) + ":" +
			strconv.FormatInt(f.now.size, 10)
		out = append(out, e)
	}
	if len(out) > w.bulk {
		return []event.Event{bulk(kind, out)}
	}
	return out
}

// bodyOf returns the body of a save or a deletion of files. n is the number of files in a bulk
// event, else 0.
func bodyOf(kind event.Kind, files []event.Path, n int) event.Body {
	if kind == event.KindDelete {
		return event.Delete{Paths: files, Files: n}
	}
	return event.Save{Paths: files, Files: n}
}

// bulk joins many events into one.
func bulk(kind event.Kind, events []event.Event) event.Event {
	all := event.Event{Agent: events[0].Agent}
	ids := make([]string, len(events))
	var files []event.Path
	for i, e := range events {
		ids[i] = e.ID
		if len(files) < event.MaxPaths {
			files = append(files, e.Paths()...)
		}
		if e.Time.After(all.Time) {
			all.Time = e.Time
		}
	}
	all.ID, all.Body = string(kind)+":bulk:"+digest(ids), bodyOf(kind, files, len(events))
	return all
}

// renameEvents returns one event for all renames, or several if there are more than event.MaxPaths.
func renameEvents(moved []rename, at time.Time) []event.Event {
	var out []event.Event
	for part := range slices.Chunk(moved, event.MaxPaths) {
		var b event.Rename
		ids := make([]string, 0, len(part))
		for _, m := range part {
			b.From, b.To = append(b.From, m.from), append(b.To, m.to)
			ids = append(ids, string(m.from)+"\x00"+string(m.to)+"\x00"+strconv.FormatInt(at.UnixNano(), 10))
		}
		out = append(out, event.Event{ID: "rename:" + digest(ids), Agent: "watch", Time: at.UTC(), Body: b})
	}
	return out
}

// renames has the renames that were told since HEAD moved: the first name of each file, by its present
// one.
type renames map[event.Path]event.Path

// maxRenames is the number of renames that are remembered. With more of them all are forgotten.
const maxRenames = 1 << 12

// undone returns the renames that git has undone, as git reset does after git mv: the new name is gone
// and the first one is there again. Git writes the file again, so nothing else shows that it is the same.
func (r renames) undone(gone []fileChange, exists func(event.Path) bool) (back []rename) {
	for _, g := range gone {
		if first, renamed := r[g.path]; renamed && exists(first) {
			back = append(back, rename{g.path, first})
		}
	}
	return back
}

// with returns the renames after some more of them.
func (r renames) with(moved []rename) renames {
	if len(moved) == 0 {
		return r
	}
	if r == nil || len(r)+len(moved) > maxRenames {
		r = renames{}
	}
	for _, m := range moved {
		first := cmp.Or(r[m.from], m.from)
		delete(r, m.from)
		if r[m.to] = first; first == m.to {
			delete(r, m.to)
		}
	}
	return r
}

func branchEvent(ref, oid string, at time.Time) event.Event {
	name := strings.TrimPrefix(ref, "refs/heads/")
	if name == "" {
		name = oid
	}
	return event.Event{ID: "branch:" + ref + ":" + oid + ":" + strconv.FormatInt(at.UnixMilli(), 10), Agent: "git",
		Time: at.UTC(),
		Body: event.Checkout{Name: name}}
}

func digest(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// temporary matches the names of files that editors and tools create during a save: vim's probe,
// backup and swap file, Emacs' lock and autosave, the files of Kate, GLib and LibreOffice, those of
// sed -i, JetBrains' safe write, and the name.tmp.<pid>.<time> of agents that write a new file and
// rename it. Such a file counts only if git tracks it.
var temporary = regexp.MustCompile(`^(?s:4913|\.DS_Store|\.#.*|#.*#|\.goutputstream-.*|\.~lock\..*|sed[0-9A-Za-z]{6}|` +
	`.*(?:~|\.sw[pxo]|\.tmp|\.kate-swp|___jb_(?:tmp|old|bak)___)|.+\.tmp\.\d.*)$`)

// contents remembers the content of each file at its last save. Writing the same content again is
// not a save: pre-commit and lint-staged, for example, remove unstaged changes and write them back
// later, without taking git's lock.
type contents struct {
	seed maphash.Seed
	of   map[event.Path]uint64
}

// maxContents is the number of files that are remembered. When it is exceeded all are forgotten,
// and the next write of a file counts as a save even if its content is the same.
const maxContents = 20_000

func newContents() contents { return contents{maphash.MakeSeed(), map[event.Path]uint64{}} }

// renew stores the hash of a file's content and reports whether it differs from the previous one. A
// file that cannot be read, or is larger than index.MaxEdited, always counts as changed.
func (c *contents) renew(root event.Root, p event.Path) bool {
	text, err := regularfile.Read(root.Abs(p), regularfile.NoLinks, index.MaxEdited)
	if err != nil {
		delete(c.of, p)
		return true
	}
	sum := maphash.Bytes(c.seed, text)
	before, known := c.of[p]
	if known && before == sum {
		return false
	}
	if len(c.of) >= maxContents {
		clear(c.of)
	}
	c.of[p] = sum
	return true
}

// forget forgets the content of a file, so that its next write counts as a save.
func (c *contents) forget(p event.Path) { delete(c.of, p) }

// rename moves the remembered content of a file to its new name.
func (c *contents) rename(from, to event.Path) {
	if sum, known := c.of[from]; known {
		c.of[to] = sum
	}
	delete(c.of, from)
}
