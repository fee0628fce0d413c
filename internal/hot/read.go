package hot

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// op is a kind of read. These five are all that the store ever asks.
type op uint8

const (
	opScores op = iota // scores of given members, 0 if absent
	opAll              // a whole bounded set, in no order
	opHash             // a whole hash
	opCard             // the size of a set
	opBelow            // the members whose score is below a number, in no order; only for housekeeping
)

// get is one read and, after Store.read, its answer.
type get struct {
	op      op
	key     string
	view    bool // somebody asks: the set will be asked for again
	members []string
	below   float64
	scores  []float64
	set     []member
	hash    map[string]string
	card    int
}

// read answers all gets: on a server in one round trip, embedded from the server's own maps.
func (s *Store) read(ctx context.Context, gets []*get) error {
	if len(gets) == 0 {
		return nil
	}
	if s.embedded != nil {
		s.maps.RLock()
		defer s.maps.RUnlock()
		for _, g := range gets {
			s.direct(g)
		}
		return ctx.Err()
	}
	return s.wire(ctx, gets)
}

// direct answers from the embedded server's maps. The caller holds s.maps or s.writing.
func (s *Store) direct(g *get) {
	if g.op == opHash {
		g.hash = s.hash(g.key)
		return
	}
	if g.packed(s) {
		return
	}
	set := s.set(g.key)
	switch g.op {
	case opScores:
		g.scores = make([]float64, len(g.members))
		if len(set) == 0 {
			return
		}
		for i, m := range g.members {
			g.scores[i] = set[m]
		}
	case opAll:
		g.set = make([]member, 0, len(set))
		for m, score := range set {
			g.set = append(g.set, member{m, score})
		}
	case opCard:
		g.card = len(set)
	case opBelow:
		for m, score := range set {
			if score < g.below {
				g.set = append(g.set, member{m, score})
			}
		}
	}
}

// packed answers housekeeping from a set that is still packed.
func (g *get) packed(s *Store) bool {
	if g.view {
		return false
	}
	ms, ok := s.packed.peek(g.key)
	if !ok {
		return false
	}
	switch g.op {
	case opScores:
		at := make(map[string]float64, len(ms))
		for _, m := range ms {
			at[m.name] = m.score
		}
		g.scores = make([]float64, len(g.members))
		for i, m := range g.members {
			g.scores[i] = at[m]
		}
	case opCard:
		g.card = len(ms)
	default:
		g.set = ms
	}
	return true
}

// set is the embedded server's own map of a sorted set, nil if there is none. Reading it needs s.maps or s.writing,
// changing it both: the server's lock does not cover it once it is handed out.
func (s *Store) set(key string) map[string]float64 {
	if s.unpack(key) != nil {
		return nil // only a key of another kind could be in its place
	}
	set, err := s.db.SortedSet(key)
	if err != nil {
		return nil // no such key
	}
	return set
}

func (s *Store) hash(key string) map[string]string {
	fields, err := s.db.HKeys(key)
	if err != nil {
		return map[string]string{} // no such key
	}
	h := make(map[string]string, len(fields))
	for _, f := range fields {
		h[f] = s.db.HGet(key, f)
	}
	return h
}

// wire answers in one pipeline.
func (s *Store) wire(ctx context.Context, gets []*get) error {
	pipe := s.client.Pipeline()
	take := make([]func(), len(gets))
	for i, g := range gets {
		take[i] = g.queue(ctx, pipe)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("pipeline of %d reads: %w", len(gets), err)
	}
	for _, f := range take {
		f()
	}
	return nil
}

// queue puts the read into the pipeline; what it returns takes the answer out.
func (g *get) queue(ctx context.Context, pipe redis.Pipeliner) func() {
	switch g.op {
	case opScores:
		c := pipe.ZMScore(ctx, g.key, g.members...)
		return func() {
			g.scores = c.Val()
			if len(g.scores) != len(g.members) { // an absent key may answer nothing
				g.scores = make([]float64, len(g.members))
			}
		}
	case opAll, opBelow:
		c := pipe.ZRangeWithScores(ctx, g.key, 0, -1)
		if g.op == opBelow {
			limit := "(" + strconv.FormatFloat(g.below, 'g', -1, 64)
			c = pipe.ZRangeByScoreWithScores(ctx, g.key, &redis.ZRangeBy{Min: "-inf", Max: limit})
		}
		return func() {
			g.set = make([]member, 0, len(c.Val()))
			for _, z := range c.Val() {
				g.set = append(g.set, member{z.Member.(string), z.Score})
			}
		}
	case opHash:
		c := pipe.HGetAll(ctx, g.key)
		return func() { g.hash = c.Val() }
	default:
		c := pipe.ZCard(ctx, g.key)
		return func() { g.card = int(c.Val()) }
	}
}

// readChunk is how many reads of housekeeping go in one pipeline: more would hold up the queries of others.
const readChunk = 1000

// readAll is read for any number of gets, in several round trips.
func (s *Store) readAll(ctx context.Context, gets []*get) error {
	for len(gets) > 0 {
		n := min(readChunk, len(gets))
		if err := s.read(ctx, gets[:n]); err != nil {
			return err
		}
		gets = gets[n:]
	}
	return nil
}
