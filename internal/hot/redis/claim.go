package redis

import (
	"context"
	"fmt"
	"slices"
)

// Claim is a thing that the logs of several daemons have in common: a commit, a rename.
type Claim struct {
	ID  string
	Off bool // it is taken back
}

// claimChunk is how many claims one script call decides.
const claimChunk = 1000

// Claim decides which of the things this writer counts in the batch with that sequence: of several daemons that log the
// same commit the first counts it, and the last that logs it as taken back subtracts it. Asked again for the same
// batch it answers the same. It is to be asked just before the batch is applied.
func (s *Store) Claim(ctx context.Context, seq int64, things []Claim) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]bool, 0, len(things))
	for chunk := range slices.Chunk(things, claimChunk) {
		words := []any{s.writer, mark(s.Sent(), s.step), seq, len(out)}
		for _, c := range chunk {
			sign := "1"
			if c.Off {
				sign = "-1"
			}
			words = append(words, c.ID, sign)
		}
		keys := []string{s.keys.claims(), s.keys.claiming(s.writer), s.keys.applied()}
		v, err := claimScript.Run(ctx, s.client, keys, words...).Result()
		list, ok := v.([]any)
		if err == nil && (!ok || len(list) != len(chunk)) {
			err = fmt.Errorf("%w: %v", ErrMark, v)
		}
		if err != nil {
			return nil, fmt.Errorf("claim for batch %d: %w", seq, err)
		}
		for _, n := range list {
			out = append(out, n == int64(1))
		}
	}
	return out, nil
}
