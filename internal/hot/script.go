package hot

import (
	"context"
	_ "embed" // the scripts
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// The scripts are for servers, which have other writers. The embedded server has none: there plain Go does the same
// under the Store's lock, and is the twin that the suite compares them with.
var (
	//go:embed lua/apply.lua
	applyText string
	//go:embed lua/claim.lua
	claimText string

	applyScript = redis.NewScript(applyText)
	claimScript = redis.NewScript(claimText)
)

// Errors after which a server's state is read anew, with Resume.
var (
	// ErrEpoch says that the server was flushed, or is another one.
	ErrEpoch = errors.New("the server was emptied, or is another one")
	// ErrMark says that the server has more or less of this writer's batches than this process knew of.
	ErrMark = errors.New("the server stands at another batch")
)

// touched is a further key among the words of a command; the first word after the name is one in any case.
type touched string

// pack turns commands into the keys and words of the apply script.
func pack(keys []string, words []any, cmds [][]any) ([]string, []any) {
	index := make(map[string]int, len(cmds))
	at := func(key string) int {
		i, ok := index[key]
		if !ok {
			keys = append(keys, key)
			i = len(keys)
			index[key] = i
		}
		return i
	}
	for _, args := range cmds {
		words = append(words, len(args), args[0], at(args[1].(string)))
		for _, a := range args[2:] {
			if k, ok := a.(touched); ok {
				words = append(words, at(string(k)))
			} else {
				words = append(words, a)
			}
		}
	}
	return keys, words
}

// eval applies commands on a server; an empty mark is housekeeping.
func (s *Store) eval(ctx context.Context, cmds [][]any, before, mark string) error {
	keys, words := pack([]string{s.keys.applied(s.writer), s.keys.server()}, []any{s.epoch, before, mark}, cmds)
	v, err := applyScript.Run(ctx, s.client, keys, words...).Text()
	switch {
	case err != nil:
		return err
	case v == "ok" || v == "again": // again: the attempt whose answer was lost did arrive
		return nil
	case v == "epoch":
		return ErrEpoch
	}
	return fmt.Errorf("%w: at %s, not at %s", ErrMark, strings.TrimPrefix(v, "="), before)
}

// Claim is a thing that the logs of several daemons name: a commit, a rename.
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
	s.writing.Lock()
	defer s.writing.Unlock()
	out := make([]bool, 0, len(things))
	for len(things) > 0 {
		n := min(claimChunk, len(things))
		mine, err := s.claim(ctx, seq, len(out), things[:n])
		if err != nil {
			return nil, fmt.Errorf("claim for batch %d: %w", seq, err)
		}
		out, things = append(out, mine...), things[n:]
	}
	return out, nil
}

func (s *Store) claim(ctx context.Context, seq int64, place int, things []Claim) ([]bool, error) {
	if s.embedded != nil {
		return s.claimPlain(ctx, seq, place, things)
	}
	words := []any{s.epoch, seq, place}
	for _, c := range things {
		words = append(words, c.ID, c.sign())
	}
	keys := []string{s.keys.claims(), s.keys.claiming(s.writer), s.keys.server()}
	v, err := claimScript.Run(ctx, s.client, keys, words...).Result()
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok || len(list) != len(things) {
		return nil, ErrEpoch
	}
	out := make([]bool, len(list))
	for i, n := range list {
		out[i] = n == int64(1)
	}
	return out, nil
}

func (c Claim) sign() string {
	if c.Off {
		return "-1"
	}
	return "1"
}

// claimPlain is the twin of the claim script.
func (s *Store) claimPlain(ctx context.Context, seq int64, place int, things []Claim) ([]bool, error) {
	decided := &get{op: opHash, key: s.keys.claiming(s.writer)}
	holders := &get{op: opHash, key: s.keys.claims()}
	if err := s.read(ctx, []*get{decided, holders}); err != nil {
		return nil, err
	}
	batch := strconv.FormatInt(seq, 10)
	var cmds [][]any
	if decided.hash["batch"] != batch {
		decided.hash = map[string]string{"batch": batch}
		cmds = append(cmds, []any{"DEL", decided.key}, []any{"HSET", decided.key, "batch", batch})
	}
	out := make([]bool, len(things))
	for i, c := range things {
		field := strconv.Itoa(place+i) + ":" + c.sign() + ":" + c.ID
		if known, ok := decided.hash[field]; ok {
			out[i] = known == "1"
			continue
		}
		n, held := 0, holders.hash[c.ID] != ""
		if held {
			n, _ = strconv.Atoi(holders.hash[c.ID]) // made below
		}
		mine := "0"
		switch {
		case !c.Off:
			out[i] = n == 0
			holders.hash[c.ID] = strconv.Itoa(n + 1)
			cmds = append(cmds, []any{"HSET", holders.key, c.ID, n + 1})
		case held && n <= 1:
			out[i] = true
			delete(holders.hash, c.ID)
			cmds = append(cmds, []any{"HDEL", holders.key, c.ID})
		case held:
			holders.hash[c.ID] = strconv.Itoa(n - 1)
			cmds = append(cmds, []any{"HSET", holders.key, c.ID, n - 1})
		}
		if out[i] {
			mine = "1"
		}
		decided.hash[field] = mine
		cmds = append(cmds, []any{"HSET", decided.key, field, mine})
	}
	return out, s.once(ctx, cmds)
}
