package cold

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Together returns how many counted commits of at most 100 files that are no sweeps (event.Event.Sweep) touched both
// files, and how many touched a, under their present and their earlier names: those that co-change is learned from.
// The cost is a search per commit of a, and a row per commit of both if one of them was renamed; a pair that was
// asked for before costs nothing until commits come or go.
func (d *DB) Together(ctx context.Context, a, b event.Path) (both, ofA int, err error) {
	n, err := d.counted(pairSince{a: a, b: b}, func() (n pairCount, err error) {
		idA, idB, err := d.pairIDs(ctx, a, b)
		if err != nil || idA == 0 {
			return n, err
		}
		l, err := d.aliases(ctx)
		if err != nil {
			return n, err
		}
		if l.names[idA] != nil || l.names[idB] != nil {
			return d.renamedTogether(ctx, l.namesOf(idA), l.namesOf(idB))
		}
		_, err = d.Scan(ctx, "SELECT count(*) FROM touches WHERE file = ? AND counted = 1", []any{idA}, &n.ofA)
		if err != nil || idB == 0 {
			return n, err
		}
		_, err = d.Scan(ctx, `SELECT count(*) FROM touches a CROSS JOIN touches b ON b.file = ?2 AND b.counted = 1 AND b.event = a.event
WHERE a.file = ?1 AND a.counted = 1`, []any{idA, idB}, &n.both)
		return n, err
	})
	return n.both, n.ofA, err
}

// TogetherSince is Together for the commits since a day: how many touched both files. The time of day does not count.
func (d *DB) TogetherSince(ctx context.Context, a, b event.Path, since time.Time) (both int, err error) {
	begin := since.Truncate(24 * time.Hour).UnixMilli()
	n, err := d.counted(pairSince{a, b, begin}, func() (n pairCount, err error) {
		idA, idB, err := d.pairIDs(ctx, a, b)
		if err != nil || idA == 0 || idB == 0 {
			return n, err
		}
		l, err := d.aliases(ctx)
		if err != nil {
			return n, err
		}
		after := func(names []alias) []alias {
			names = slices.Clone(names)
			for i := range names {
				names[i].after = max(names[i].after, begin-1)
			}
			return names
		}
		return d.renamedTogether(ctx, after(l.namesOf(idA)), after(l.namesOf(idB)))
	})
	return n.both, err
}

// pairIDs returns the ids of two files, 0 for one that is not known.
func (d *DB) pairIDs(ctx context.Context, a, b event.Path) (idA, idB int64, err error) {
	if idA, _, err = d.fileID(ctx, a); err != nil {
		return 0, 0, err
	}
	idB, _, err = d.fileID(ctx, b)
	return idA, idB, err
}

// pairCounts remembers counts of pairs: the same few pairs are explained again and again.
type pairCounts struct {
	mu      sync.Mutex // guards all below
	version int64      // of DB.commits
	counts  map[pairSince]pairCount
}

// pairSince is two files, and the begin of the day since which commits count (unix ms); 0: all do.
type pairSince struct {
	a, b  event.Path
	since int64
}

type pairCount struct{ both, ofA int }

// pairsKept bounds the memory: some 600 KB.
const pairsKept = 2000

// counted returns what is remembered of a pair, else what find finds.
func (d *DB) counted(pair pairSince, find func() (pairCount, error)) (pairCount, error) {
	// before reading: a commit in between makes what is read stale, not the reverse
	version, p := d.commits.Load(), &d.pairs
	p.mu.Lock()
	n, known := p.counts[pair]
	known = known && p.version == version
	p.mu.Unlock()
	if known {
		return n, nil
	}
	n, err := find()
	if err != nil {
		return n, d.explain("count commits", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if version > p.version || len(p.counts) >= pairsKept || p.counts == nil {
		p.version, p.counts = max(version, p.version), map[pairSince]pairCount{}
	}
	if version == p.version {
		p.counts[pair] = n
	}
	return n, nil
}

// renamedTogether counts for files with more than one name: the commit that renames has both of them.
func (d *DB) renamedTogether(ctx context.Context, a, b []alias) (n pairCount, err error) {
	inA, err := d.commitsOf(ctx, a)
	if err != nil {
		return n, err
	}
	inB, err := d.commitsOf(ctx, b)
	if err != nil {
		return n, err
	}
	for id := range inA {
		if inB[id] {
			n.both++
		}
	}
	n.ofA = len(inA)
	return n, nil
}

// commitsOf returns the events.id of the commits that touched a file under any of its names.
func (d *DB) commitsOf(ctx context.Context, names []alias) (map[int64]bool, error) {
	out := map[int64]bool{}
	for _, n := range names {
		err := d.Each(ctx, `SELECT id FROM touches CROSS JOIN events ON id = event
WHERE file = ?1 AND touches.counted = 1 AND time > ?2 AND time <= ?3`, []any{n.file, n.after, n.until}, func(row Row) error {
			var id int64
			err := row.Scan(&id)
			out[id] = true
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Pair is two files that keep changing together.
type Pair struct {
	A, B           event.Path // A is the one with fewer commits
	Both, OfA, OfB int        // commits that touched both, A, B
}

// Bounds of Pairs: it reads the newest commits only, at small ones only, and keeps a bounded count.
const (
	pairCommits = 20000
	pairFiles   = 30
	pairMost    = 2_000_000 // pairs counted at a time: 80 MB
	pairLeast   = 3         // commits that a pair must share
)

// Pairs returns the n strongest hidden pairs: files that share at least three commits and mostly change
// together, but whose names do not say so. A file is named once, a pair of folders once, and pairs across
// folders or file types come first. exists says which files still do; nil says all.
func (d *DB) Pairs(ctx context.Context, n int, exists func(event.Path) bool) ([]Pair, error) {
	tx, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, d.explain("find pairs", err)
	}
	defer tx.Rollback() // reading only
	sets, total, err := d.newestChanges(ctx, tx)
	if err != nil {
		return nil, d.explain("find pairs", err)
	}
	best := strongest(countPairs(sets, total), total)
	pairs, err := d.pick(ctx, tx, best, total, n, exists)
	return pairs, d.explain("find pairs", err)
}

// newestChanges returns the files of the newest small commits, and of each file how many of those touched it.
func (d *DB) newestChanges(ctx context.Context, tx *sql.Tx) (sets [][]int64, total map[int64]int, err error) {
	h := renames{}
	if err := d.each(ctx, tx, selectRenames, nil, h.scan); err != nil {
		return nil, nil, err
	}
	total = map[int64]int{}
	const newest = "SELECT time, body FROM events WHERE counted = 1 ORDER BY time DESC LIMIT ?"
	err = d.each(ctx, tx, newest, []any{pairCommits}, func(row Row) error {
		var at int64
		var body sql.RawBytes
		if err := row.Scan(&at, &body); err != nil {
			return err
		}
		files, err := filesOf(body)
		if err != nil {
			return err
		}
		if slices.Sort(files); len(slices.Compact(files)) > maxChange {
			return nil
		}
		files = h.present(files, at)
		for _, f := range files {
			total[f]++
		}
		if len(files) > 1 && len(files) <= pairFiles {
			sets = append(sets, files)
		}
		return nil
	})
	return sets, total, err
}

// countPairs counts the commits that each pair shares. Files with too few commits cannot make a pair.
func countPairs(sets [][]int64, total map[int64]int) map[[2]int64]int {
	count := map[[2]int64]int{}
	for _, files := range sets {
		files = slices.DeleteFunc(files, func(f int64) bool { return total[f] < pairLeast })
		for i, a := range files {
			for _, b := range files[i+1:] {
				key := [2]int64{a, b}
				if count[key] > 0 || len(count) < pairMost {
					count[key]++
				}
			}
		}
	}
	return count
}

// strongest orders the pairs by confidence, shrunk by two imagined commits apart and weighted by the number
// of shared commits: 40 of 44 says more than 3 of 3.
func strongest(count map[[2]int64]int, total map[int64]int) []rated {
	var out []rated
	for key, both := range count {
		if both < pairLeast {
			continue
		}
		conf := float64(both) / float64(max(total[key[0]], total[key[1]])+2)
		if conf < 0.25 {
			continue
		}
		out = append(out, rated{key, both, conf * math.Log2(1+float64(both))})
	}
	slices.SortFunc(out, rated.compare)
	return out[:min(len(out), 5000)]
}

// rated is a pair of files by their ids, with its worth.
type rated struct {
	files [2]int64
	both  int
	score float64
}

func (r rated) compare(o rated) int {
	return cmp.Or(cmp.Compare(o.score, r.score), slices.Compare(r.files[:], o.files[:]))
}

// pick names the pairs, drops the ones that surprise nobody, and takes the best n that differ from each other.
func (d *DB) pick(ctx context.Context, tx *sql.Tx, best []rated, total map[int64]int, n int,
	exists func(event.Path) bool) ([]Pair, error) {
	path := d.pathsOf(ctx, tx)
	named := map[int64]event.Path{}
	for i, r := range best {
		for _, id := range r.files {
			p, err := path(id)
			if err != nil && !errors.Is(err, ErrRow) { // one without a name belongs to a damaged row
				return nil, err
			}
			named[id] = p
		}
		best[i].score *= surprise(named[r.files[0]], named[r.files[1]])
	}
	slices.SortStableFunc(best, rated.compare)
	var out []Pair
	used := map[string]bool{}
	for _, r := range best {
		a, b := named[r.files[0]], named[r.files[1]]
		folders := "\x00" + min(a.Dir(), b.Dir()) + "\x00" + max(a.Dir(), b.Dir())
		switch {
		case len(out) >= n:
			return out, nil
		case r.score <= 0, a == "", b == "", used[string(a)], used[string(b)], used[folders]:
			continue
		case exists != nil && (!exists(a) || !exists(b)):
			continue
		}
		used[string(a)], used[string(b)], used[folders] = true, true, true
		if total[r.files[0]] > total[r.files[1]] || total[r.files[0]] == total[r.files[1]] && a > b {
			a, b, r.files[0], r.files[1] = b, a, r.files[1], r.files[0]
		}
		out = append(out, Pair{A: a, B: b, Both: r.both, OfA: total[r.files[0]], OfB: total[r.files[1]]})
	}
	return out, nil
}

// surprise is 0 for pairs that their names give away, and grows where folder and type differ.
func surprise(a, b event.Path) float64 {
	sa, sb := a.Stem(), b.Stem()
	if sa == sb || strings.HasPrefix(sa, sb+"-") || strings.HasPrefix(sb, sa+"-") || locks(a) || locks(b) {
		return 0
	}
	s := 1.0
	if a.Dir() != b.Dir() {
		s *= 1.5
	}
	if a.Ext() != b.Ext() {
		s *= 1.25
	}
	return s
}

// locks reports whether a file only repeats what a manifest says.
func locks(p event.Path) bool {
	base := strings.ToLower(p.Base())
	return strings.Contains(base, "lock") || base == "go.sum"
}
