package redis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/hot"
)

// readChunk is how many reads of housekeeping go in one pipeline: more would hold up the queries of others.
const readChunk = 1000

// Read answers sets and sessions in one round trip. It implements hot.Reader.
func (s *Store) Read(ctx context.Context, r *hot.Reads) error {
	pipe := s.client.Pipeline()
	take := make([]func(), 0, len(r.Sets)+len(r.Sessions))
	for _, q := range r.Sets {
		take = append(take, s.queueSet(ctx, pipe, q))
	}
	for _, q := range r.Sessions {
		take = append(take, s.queueSession(ctx, pipe, q))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("pipeline of %d reads: %w", len(take), err)
	}
	for _, f := range take {
		f()
	}
	return nil
}

// queueSet puts the read into the pipeline; what it returns takes the answer out.
func (s *Store) queueSet(ctx context.Context, pipe redis.Pipeliner, q *hot.SetRead) func() {
	if q.Members == nil {
		c := pipe.ZRangeWithScores(ctx, s.keys.of(q), 0, -1)
		return func() { q.All = members(c.Val()) }
	}
	c := pipe.ZMScore(ctx, s.keys.of(q), q.Members...)
	return func() {
		if q.Scores = c.Val(); len(q.Scores) != len(q.Members) { // an absent key may answer nothing
			q.Scores = make([]float64, len(q.Members))
		}
	}
}

func members(zs []redis.Z) []hot.Member {
	ms := make([]hot.Member, len(zs))
	for i, z := range zs {
		ms[i] = hot.Member{Name: z.Member.(string), Score: z.Score}
	}
	return ms
}

func (s *Store) queueSession(ctx context.Context, pipe redis.Pipeliner, q *hot.SessionRead) func() {
	fields, deadline := pipe.HGetAll(ctx, s.keys.session(q.ID)), pipe.ZMScore(ctx, s.keys.expiry(), q.ID)
	var parts [hot.Parts]*redis.ZSliceCmd
	for p := range hot.Parts {
		parts[p] = pipe.ZRangeWithScores(ctx, s.keys.part(q.ID, p), 0, -1)
	}
	return func() {
		rec := &hot.SessionRecord{Fields: fields.Val()}
		if at := deadline.Val(); len(at) == 1 {
			rec.Deadline = at[0]
		}
		for p := range hot.Parts {
			rec.Parts[p] = make(map[string]float64, len(parts[p].Val()))
			for _, z := range parts[p].Val() {
				rec.Parts[p][z.Member.(string)] = z.Score
			}
		}
		q.Answer(rec)
	}
}

// readAll is Read for any number of sets, in several round trips.
func (s *Store) readAll(ctx context.Context, reads []*hot.SetRead) error {
	for chunk := range slices.Chunk(reads, readChunk) {
		if err := s.Read(ctx, &hot.Reads{Sets: chunk}); err != nil {
			return err
		}
	}
	return nil
}

// liveSessions lists the sessions with their deadlines, the first to expire first.
func (s *Store) liveSessions(ctx context.Context) ([]hot.Member, error) {
	zs, err := s.client.ZRangeWithScores(ctx, s.keys.expiry(), 0, -1).Result()
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	return members(zs), nil
}

// eachSession calls fn with every live session.
func (s *Store) eachSession(ctx context.Context, fn func(id string, rec *hot.SessionRecord)) error {
	live, err := s.liveSessions(ctx)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(live, readChunk/int(hot.Parts)) {
		reads := make([]*hot.SessionRead, len(chunk))
		for i, m := range chunk {
			reads[i] = &hot.SessionRead{ID: m.Name, Answer: func(rec *hot.SessionRecord) { fn(m.Name, rec) }}
		}
		if err := s.Read(ctx, &hot.Reads{Sessions: reads}); err != nil {
			return err
		}
	}
	return nil
}

var glob = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// scan lists what follows the prefix in the keys that begin with it. Only for housekeeping, renames and forgetting.
func (s *Store) scan(ctx context.Context, prefix string) ([]string, error) {
	node, err := s.node(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	it := node.Scan(ctx, 0, glob.Replace(prefix)+"*", 10000).Iterator()
	for it.Next(ctx) {
		out = append(out, strings.TrimPrefix(it.Val(), prefix))
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("scan %s*: %w", prefix, err)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// owned lists the owned sets of the families that satisfy which, in the order of their keys.
func (s *Store) owned(ctx context.Context, which func(*hot.Family) bool) (out []ownedKey, err error) {
	for i := range s.table {
		f := &s.table[i]
		if f.Global() || !which(f) {
			continue
		}
		for _, k := range s.epochs(f) {
			owners, err := s.scan(ctx, s.keys.owners(f, k))
			if err != nil {
				return nil, err
			}
			for _, o := range owners {
				out = append(out, ownedKey{f, k, o})
			}
		}
	}
	return out, nil
}

// holder is an owned set that holds some of the files asked for.
type holder struct {
	ownedKey
	found []string
}

// holders finds the owned sets that hold any of the files. It looks at every owner: partner edges are trimmed on each
// side by itself, so no set knows who holds its owner. A batch of renames pays for it once.
func (s *Store) holders(ctx context.Context, files []string) (out []holder, err error) {
	sets, err := s.owned(ctx, func(f *hot.Family) bool { return f.Member == hot.NounFile })
	if err != nil {
		return nil, err
	}
	reads := make([]*hot.SetRead, len(sets))
	for i, k := range sets {
		reads[i] = k.read(files)
	}
	if err := s.readAll(ctx, reads); err != nil {
		return nil, err
	}
	for i, r := range reads {
		h := holder{ownedKey: sets[i]}
		for j, score := range r.Scores {
			if score != 0 {
				h.found = append(h.found, files[j])
			}
		}
		if h.found != nil {
			out = append(out, h)
		}
	}
	return out, nil
}
