package hot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// Fields of the meta hash.
const (
	metaNewest = "newest" // latest time ever said, Unix seconds
	metaEpoch  = "epoch:" // family → epoch of the last trim
)

// netExpiry is set on a server's session keys beside the own expiry index, for daemons that never come back.
const netExpiry = 2 * SessionLife

// argsPerStep bounds one transaction: nobody else is served while it runs.
const argsPerStep = 20000

// Apply writes a batch and its sequence; seq counts from 1 and grows. A batch whose sequence was applied before is
// skipped, and one that was cut short is taken up where it stopped, so after an error Apply may be called again with
// the same batch. Small batches are one transaction; the steps of a large one become visible one by one.
func (s *Store) Apply(ctx context.Context, b *Batch, seq int64) error {
	b.init()
	s.writing.Lock()
	defer s.writing.Unlock()
	if &b.families[0] != &s.families[0] && b.families.print() != s.print {
		return errors.New("apply batch: made with other half-lives than the store's: make it with Store.Batch")
	}
	if seq <= s.applied {
		return nil
	}
	s.newest = max(s.newest, s.believable(b.newest))
	w := &writes{store: s, ctx: ctx, seq: seq}
	if err := w.renames(b); err != nil {
		return fmt.Errorf("apply batch %d: carry over renames: %w", seq, err)
	}
	w.increments(b)
	w.stamps(b)
	for _, id := range slices.Sorted(maps.Keys(b.sessions)) {
		w.session(b.sessions[id])
	}
	w.facts(b)
	if s.newest > undated {
		w.add(s.op("HSET", "GROW"), s.keys.meta(), metaNewest, s.newest)
	}
	w.notices(b)
	if err := w.flush(true); err != nil {
		return fmt.Errorf("apply batch %d: %w", seq, err)
	}
	s.wake(ctx, b)
	if err := s.keepHouse(ctx, b); err != nil {
		return fmt.Errorf("apply batch %d: %w", seq, err)
	}
	return nil
}

// writes turns a batch into commands, in transactions of bounded size.
type writes struct {
	store *Store
	ctx   context.Context
	seq   int64
	cmds  [][]any
	puts  []put // embedded: between the commands, see put.after
	args  int
	step  int   // transactions made so far
	whole bool  // what is added now must not be cut
	err   error // the first that failed; nothing is sent after it
}

func (w *writes) add(args ...any) {
	w.cmds = append(w.cmds, args)
	w.args += len(args)
	if w.args >= argsPerStep && !w.whole {
		w.err = w.flush(false)
	}
}

// flush sends what was added as one transaction that also records how far the batch has come.
func (w *writes) flush(last bool) error {
	if w.err != nil {
		return w.err
	}
	s := w.store
	w.step++
	mark := strconv.FormatInt(s.applied, 10) + "+" + strconv.Itoa(w.step)
	if last {
		mark = strconv.FormatInt(w.seq, 10)
	}
	cmds, puts := w.cmds, w.puts
	w.cmds, w.puts, w.args = nil, nil, 0
	if w.step > s.step { // else a former attempt got as far as this
		if err := s.transact(w.ctx, cmds, puts, mark); err != nil {
			return err
		}
	}
	s.step = max(s.step, w.step)
	if last {
		s.applied, s.step = w.seq, 0
	}
	return nil
}

// transact runs the commands and the mark all or nothing: embedded under one lock, on a server in one script, which also
// sees to it that each step is applied once, however often and however late its attempts arrive.
func (s *Store) transact(ctx context.Context, cmds [][]any, puts []put, mark string) error {
	if s.embedded == nil {
		before := strconv.FormatInt(s.applied, 10)
		if s.step > 0 {
			before += "+" + strconv.Itoa(s.step)
		}
		return s.eval(ctx, cmds, before, mark)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.execute(append(cmds, []any{"SET", s.keys.applied(s.writer), mark}), puts)
}

// believable cuts a time that no right clock has seen yet to a day from now: one event of a clock that ran years ahead
// must not make everything after it too old to be learned.
func (s *Store) believable(t float64) float64 {
	if s.now == nil {
		return t
	}
	return min(t, seconds(s.now().Add(24*time.Hour)))
}

// ahead reports whether a time was told by a clock that ran ahead and is back: nothing that is right is so late. A
// session's deadline lies up to SessionLife after its last event.
func (s *Store) ahead(t float64) bool {
	return s.now != nil && t > seconds(s.now().Add(24*time.Hour+2*SessionLife))
}

// resolved is an owned or global set of the batch with its names as they are after the batch's renames.
type resolved struct {
	family  *family
	epoch   int64
	owner   string
	members []member
}

// increments writes the sets in a fixed order, so that a second attempt cuts them into the same transactions.
func (w *writes) increments(b *Batch) {
	for _, r := range b.resolve() {
		if r.epoch < r.family.epoch(w.store.believable(w.store.newest))-1 {
			continue // no reader adds it any more
		}
		w.increment(r)
	}
}

// resolve names and orders the batch's sets, and caps owned ones.
func (b *Batch) resolve() []resolved {
	sets := b.sets
	if len(b.renames) > 0 {
		sets = b.merged()
	}
	out := make([]resolved, 0, len(sets))
	for key, ms := range sets {
		f := b.families[key.family]
		r := resolved{f, int64(key.epoch), b.names.texts[key.owner], make([]member, 0, len(ms))}
		for n, score := range ms {
			if n == key.owner && f.owner == f.member {
				continue // a rename made the two ends of an edge one file
			}
			r.members = append(r.members, member{b.names.texts[n], score})
		}
		if b.cap > 0 && f.owner != nounNone && len(r.members) > b.cap {
			slices.SortFunc(r.members, func(x, y member) int {
				return cmp.Or(cmp.Compare(coarse(math.Abs(y.score)), coarse(math.Abs(x.score))), cmp.Compare(x.name, y.name))
			})
			r.members = r.members[:b.cap]
		}
		slices.SortFunc(r.members, func(x, y member) int { return cmp.Compare(x.name, y.name) })
		out = append(out, r)
	}
	slices.SortFunc(out, func(x, y resolved) int {
		return cmp.Or(cmp.Compare(x.family.index, y.family.index), cmp.Compare(x.epoch, y.epoch), cmp.Compare(x.owner, y.owner))
	})
	return out
}

// merged adds up the sets and members that renames have made one.
func (b *Batch) merged() map[setKey]map[name]float64 {
	out := make(map[setKey]map[name]float64, len(b.sets))
	for key, ms := range b.sets {
		key.owner = b.names.now(key.owner)
		set := out[key]
		if set == nil {
			set = make(map[name]float64, len(ms))
			out[key] = set
		}
		for n, score := range ms {
			set[b.names.now(n)] += score
		}
	}
	return out
}

// increment adds to one set. The embedded server has no other writer, so the sums are made here and one ZADD writes
// them; on a server each is a ZINCRBY.
func (w *writes) increment(r resolved) {
	s := w.store
	key := s.keys.global(r.family, r.epoch)
	if r.family.owner != nounNone {
		key = s.keys.owned(r.family, r.epoch, r.owner)
		s.grown[ownedKey{r.family.index, r.epoch, r.owner}] = true
		s.touchSet(r.family, r.owner)
	} else {
		for _, m := range r.members {
			s.touch(record{r.family.member, m.name})
		}
	}
	if s.embedded == nil {
		for _, m := range r.members {
			w.add("ZINCRBY", key, m.score, m.name)
		}
		return
	}
	s.loose += len(r.members)
	old := s.set(key)
	w.zadd(key, "", r.members, func(m member) float64 { return old[m.name] + m.score })
}

// zadd writes members in commands of bounded length. The embedded server is not sent them: see put.
func (w *writes) zadd(key, flag string, ms []member, score func(member) float64) {
	const most = 1000
	for len(ms) > 0 {
		n := min(most, len(ms))
		if w.store.embedded != nil {
			w.put(key, flag, ms[:n], score)
			ms = ms[n:]
			continue
		}
		args := make([]any, 0, 3+2*n)
		args = append(args, "ZADD", key)
		if flag != "" {
			args = append(args, flag)
		}
		for _, m := range ms[:n] {
			args = append(args, score(m), m.name)
		}
		w.add(args...)
		ms = ms[n:]
	}
}

// op picks a command of the embedded server, or one of the apply script in its place.
func (s *Store) op(plain, script string) string {
	if s.embedded != nil {
		return plain
	}
	return script
}

func stored(m member) float64 { return m.score }

// topKeep is how many of the newest stamps are kept in order.
const topKeep = 256

// stamps writes stamps, and the newest of them into the small set that may be read by rank.
func (w *writes) stamps(b *Batch) {
	byFamily := map[uint8]map[string]float64{}
	for key, at := range b.stamps {
		if byFamily[key.family] == nil {
			byFamily[key.family] = map[string]float64{}
		}
		n := b.names.texts[b.names.now(key.member)]
		byFamily[key.family][n] = max(at, byFamily[key.family][n])
	}
	for _, index := range slices.Sorted(maps.Keys(byFamily)) {
		f := w.store.families[index]
		ms := make([]member, 0, len(byFamily[index]))
		for n, at := range byFamily[index] {
			ms = append(ms, member{n, at})
			w.store.touch(record{nounPath, n})
		}
		slices.SortFunc(ms, func(x, y member) int { return cmp.Compare(x.name, y.name) })
		w.zadd(w.store.keys.global(f, 0), "GT", ms, stored)
		w.zadd(w.store.keys.top(f), "GT", best(ms, topKeep), stored)
	}
}

func (w *writes) facts(b *Batch) {
	for _, key := range slices.Sorted(maps.Keys(b.facts)) {
		hash := w.store.keys.fact(key)
		w.store.touch(record{nounFact, key})
		w.add("ZADD", w.store.keys.facts(), 1, key)
		for _, field := range slices.Sorted(maps.Keys(b.facts[key])) {
			if v := b.facts[key][field]; v == "" {
				w.add("HDEL", hash, field)
			} else {
				w.add("HSET", hash, field, v)
			}
		}
	}
}

// flags of a session's parts: what happened later counts, except that a first open is the first.
var partFlags = [parts]string{"GT", "GT", "NX", "GT", "GT", "", "GT", "GT", "GT"}

func (w *writes) session(sw *SessionWrite) {
	s := w.store
	hash := s.keys.session(sw.id)
	s.touch(record{nounSession, sw.id})
	if sw.renew {
		w.add("DEL", hash)
	}
	for p := range parts {
		key := s.keys.part(sw.id, p)
		if sw.clear[p] {
			w.add("DEL", key)
		}
		for _, m := range slices.Sorted(maps.Keys(sw.gone[p])) {
			w.add("ZREM", key, m)
		}
		ms := make([]member, 0, len(sw.sets[p]))
		for _, m := range slices.Sorted(maps.Keys(sw.sets[p])) {
			ms = append(ms, member{m, sw.sets[p][m]})
		}
		w.zadd(key, partFlags[p], ms, stored)
		if len(ms) > 0 && s.embedded == nil {
			w.add("EXPIRE", key, int(netExpiry.Seconds()))
		}
	}
	for _, f := range slices.Sorted(maps.Keys(sw.fields)) {
		if sw.fields[f] == "" {
			w.add("HDEL", hash, f)
		} else {
			w.add("HSET", hash, f, sw.fields[f])
		}
	}
	if s.embedded == nil {
		w.add("EXPIRE", hash, int(netExpiry.Seconds()))
	}
	if sw.touched {
		w.add("ZADD", s.keys.expiry(), "GT", sw.last+SessionLife.Seconds(), sw.id)
	} else if s.newest > undated {
		w.add("ZADD", s.keys.expiry(), "NX", s.believable(s.newest)+SessionLife.Seconds(), sw.id)
	}
}
