package cold

import (
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// totals add up in memory what a batch changes in file_stats and tag_stats, so that each row is written once.
type totals struct {
	files map[fileAt]*span
	tags  map[string]int64 // tag → events that carry it
}

// fileAt is a file as it was called at that time (unix ms); it is counted under its present name.
type fileAt struct{ file, at int64 }

// span is a number of accesses and the times of the first and the last.
type span struct{ n, first, last int64 }

func newTotals() *totals { return &totals{files: map[fileAt]*span{}, tags: map[string]int64{}} }

func (s *span) add(n, first, last int64) {
	if s.n == 0 && s.first == 0 && s.last == 0 {
		s.first, s.last = first, last
	}
	s.n, s.first, s.last = s.n+n, min(s.first, first), max(s.last, last)
}

// access reports whether the kind counts in file_stats: a tool opened the file, or someone saved it.
func access(k event.Kind) bool { return k.Open() || k == event.KindSave }

// accessKinds are the kinds of access, in SQL.
const accessKinds = "('read', 'edit', 'write', 'save')"

// bookkeeping reports whether the event is aOa's own bookkeeping, which says nothing of the work.
func bookkeeping(k event.Kind) bool {
	switch k {
	case event.KindSuggest, event.KindOutcome, event.KindFeedback, event.KindTick, event.KindSetting:
		return true
	}
	return false
}

// notBookkeeping is its opposite in SQL. For a list of kinds SQLite would search an index for each of them.
const notBookkeeping = "kind <> 'suggest' AND kind <> 'outcome' AND kind <> 'feedback' AND kind <> 'tick' AND kind <> 'setting'"

// add counts an event (sign +1) or takes it back (-1).
func (t *totals) add(e event.Event, id func(event.Path) int64, sign int64) {
	if bookkeeping(e.Kind()) || countedOf(e.Kind()) != 0 {
		return
	}
	for _, tag := range e.Tags() {
		t.tags[tag] += sign
	}
	if !access(e.Kind()) {
		return
	}
	at := e.Time.UnixMilli()
	for _, p := range e.Paths() {
		f := fileAt{id(p), at}
		if t.files[f] == nil {
			t.files[f] = &span{}
		}
		t.files[f].add(sign, at, at)
	}
}

// flush adds the totals to the tables and returns the files that it changed.
func (t *totals) flush(tx *Tx, h renames) error {
	now := map[int64]*span{}
	for f, s := range t.files {
		id := h.now(f.file, f.at)
		if now[id] == nil {
			now[id] = &span{}
		}
		now[id].add(s.n, s.first, s.last)
	}
	var args []any
	for _, id := range slices.Sorted(maps.Keys(now)) {
		args = append(args, id, now[id].n, now[id].first, now[id].last)
	}
	err := tx.many(`WITH v (f, n, first, last) AS (VALUES %s)
UPDATE file_stats SET total_accesses = total_accesses + n, last_access = max(last_access, last),
  first_access = CASE WHEN first_access = 0 THEN first ELSE min(first_access, first) END
FROM v WHERE id = f`, 4, args, nil)
	if err != nil {
		return err
	}
	args = nil
	for _, tag := range slices.Sorted(maps.Keys(t.tags)) {
		args = append(args, tag, t.tags[tag])
	}
	return tx.many(`INSERT INTO tag_stats (tag, total_uses) VALUES %s
ON CONFLICT (tag) DO UPDATE SET total_uses = total_uses + excluded.total_uses`, 2, args, nil)
}
