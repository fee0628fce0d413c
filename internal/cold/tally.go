package cold

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// tally adds up in memory what a batch changes in the statistics, so that each row is written once.
type tally struct {
	files    map[fileAt]*span      // accesses
	sessions map[string]*session   // session id → its events
	pairs    map[sessionFile]*span // accesses of a file in a session
	tags     map[string]int        // tag → events that carry it
	tagged   map[taggedFile]int    // events that carry the tag and act upon the file
}

// fileAt is a file as it was called at that time; it is entered under its present name.
type fileAt struct{ file, at int64 }

type span struct {
	n, first, last int64
}

type session struct {
	span
	agent string
}

type sessionFile struct {
	session string
	file    fileAt
}

type taggedFile struct {
	tag  string
	file fileAt
}

func newTally() *tally {
	return &tally{files: map[fileAt]*span{}, sessions: map[string]*session{}, pairs: map[sessionFile]*span{},
		tags: map[string]int{}, tagged: map[taggedFile]int{}}
}

func (t *tally) empty() bool { return len(t.files)+len(t.sessions)+len(t.tags) == 0 }

func (s *span) add(n, at int64) {
	if s.n == 0 || at < s.first {
		s.first = at
	}
	if s.n == 0 || at > s.last {
		s.last = at
	}
	s.n += n
}

// access reports whether the kind counts in file_stats: a tool opened the file, or someone saved it.
func access(k event.Kind) bool { return k.Open() || k == event.KindSave }

// own reports whether the event is aOa's own bookkeeping, which says nothing of the work.
func own(k event.Kind) bool {
	switch k {
	case event.KindSuggest, event.KindOutcome, event.KindFeedback, event.KindTick, event.KindSetting:
		return true
	}
	return false
}

// add counts an event (sign +1) or takes it back (-1). files are the short names of its paths.
func (t *tally) add(e event.Event, files []int64, sign int64) {
	if own(e.Kind) {
		return
	}
	at := e.Time.UnixMilli()
	if e.Session != "" {
		s := t.sessions[e.Session]
		if s == nil {
			s = &session{}
			t.sessions[e.Session] = s
		}
		s.agent = cmp.Or(s.agent, e.Agent)
		s.add(sign, at)
	}
	for _, tag := range e.Tags {
		t.tags[tag] += int(sign)
		for _, f := range files {
			t.tagged[taggedFile{tag, fileAt{f, at}}] += int(sign)
		}
	}
	if !access(e.Kind) {
		return
	}
	for _, f := range files {
		bump(t.files, fileAt{f, at}, sign, at)
		if e.Session != "" {
			bump(t.pairs, sessionFile{e.Session, fileAt{f, at}}, sign, at)
		}
	}
}

func bump[K comparable](m map[K]*span, key K, n, at int64) {
	s := m[key]
	if s == nil {
		s = &span{}
		m[key] = s
	}
	s.add(n, at)
}

// settle brings every file of the tally to its present name.
func (t *tally) settle(h hops) {
	t.files = settle(t.files, func(f fileAt) fileAt { return h.settle(f) }, (*span).join)
	t.pairs = settle(t.pairs, func(p sessionFile) sessionFile { p.file = h.settle(p.file); return p }, (*span).join)
	tagged := map[taggedFile]int{}
	for key, n := range t.tagged {
		key.file = h.settle(key.file)
		tagged[key] += n
	}
	t.tagged = tagged
}

func (h hops) settle(f fileAt) fileAt { return fileAt{file: h.now(f.file, f.at)} }

func settle[K comparable, V any](m map[K]*V, key func(K) K, join func(*V, *V)) map[K]*V {
	out := make(map[K]*V, len(m))
	for k, v := range m {
		k = key(k)
		if there := out[k]; there != nil {
			join(there, v)
		} else {
			out[k] = v
		}
	}
	return out
}

func (s *span) join(o *span) {
	s.n, s.first, s.last = s.n+o.n, min(s.first, o.first), max(s.last, o.last)
}

// flush adds the tally to the tables.
func (t *tally) flush(w writing, h hops) error {
	t.settle(h)
	keys := map[string]int64{} // session id → sessions.key
	for _, id := range sorted(t.sessions, cmp.Compare[string]) {
		s, key := t.sessions[id], int64(0)
		if _, err := w.Scan("count_session", []any{id, s.agent, s.first, s.last, s.n}, &key); err != nil {
			return err
		}
		keys[id] = key
	}
	more, err := t.flushPairs(w, keys)
	if err != nil {
		return err
	}
	args := make([]any, 0, 6*len(t.files))
	for _, f := range sorted(t.files, func(x, y fileAt) int { return cmp.Compare(x.file, y.file) }) {
		s := t.files[f]
		args = append(args, f.file, s.n, s.last, s.first, more[f.file].n, more[f.file].last)
	}
	if err := w.many(w.query("count_files"), 6, args, nil); err != nil {
		return err
	}
	return t.flushTags(w)
}

// flushPairs widens the times that sessions spent with files. For each file it returns how many sessions are new
// to it (n), and by how many milliseconds the sum of its times grew (last).
func (t *tally) flushPairs(w writing, keys map[string]int64) (map[int64]span, error) {
	pairs := sorted(t.pairs, func(x, y sessionFile) int {
		return cmp.Or(cmp.Compare(x.session, y.session), cmp.Compare(x.file.file, y.file.file))
	})
	ask, put := make([]any, 0, 2*len(pairs)), make([]any, 0, 5*len(pairs))
	for _, p := range pairs {
		s := t.pairs[p]
		ask = append(ask, keys[p.session], p.file.file)
		put = append(put, keys[p.session], p.file.file, s.first, s.last, s.n)
	}
	known := map[[2]int64]span{}
	err := w.many(w.query("known_session_files"), 2, ask, func(rows Row) error {
		var key [2]int64
		var s span
		err := rows.Scan(&key[0], &key[1], &s.first, &s.last)
		known[key] = s
		return err
	})
	if err != nil {
		return nil, err
	}
	more := map[int64]span{}
	for _, p := range pairs {
		m, s := more[p.file.file], t.pairs[p]
		if before, ok := known[[2]int64{keys[p.session], p.file.file}]; ok {
			m.last += max(before.last, s.last) - min(before.first, s.first) - (before.last - before.first)
		} else {
			m.n++
			m.last += s.last - s.first
		}
		more[p.file.file] = m
	}
	return more, w.many(w.query("widen_session_files"), 5, put, nil)
}

func (t *tally) flushTags(w writing) error {
	keys := map[string]int64{} // tag → tag_stats.id
	for _, tag := range sorted(t.tags, cmp.Compare[string]) {
		var key int64
		if _, err := w.Scan("count_tag", []any{tag, t.tags[tag]}, &key); err != nil {
			return err
		}
		keys[tag] = key
	}
	more := map[int64]int{} // tag_stats.id → files that it did not have yet
	var args []any
	said := map[[2]int64]int{}
	for _, p := range sorted(t.tagged, func(x, y taggedFile) int {
		return cmp.Or(cmp.Compare(x.tag, y.tag), cmp.Compare(x.file.file, y.file.file))
	}) {
		said[[2]int64{keys[p.tag], p.file.file}] = t.tagged[p]
		args = append(args, keys[p.tag], p.file.file, t.tagged[p])
	}
	err := w.many(w.query("count_tagged"), 3, args, func(rows Row) error {
		var key [2]int64
		var uses int
		err := rows.Scan(&key[0], &key[1], &uses)
		if n := said[key]; n > 0 && uses == n {
			more[key[0]]++
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range sorted(more, cmp.Compare[int64]) {
		if err := w.run("count_tag_files", id, more[id]); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the keys in order: rows are written in the same order whatever the map thinks.
func sorted[K comparable, V any](m map[K]V, compare func(x, y K) int) []K {
	return slices.SortedFunc(maps.Keys(m), compare)
}
