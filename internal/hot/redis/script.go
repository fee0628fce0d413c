package redis

import (
	"context"
	_ "embed" // the scripts
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

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
	// ErrEpoch means that the server was flushed, or is another one.
	ErrEpoch = errors.New("the server was emptied, or is another one")
	// ErrMark means that the server has more or less of this writer's batches than this process knew of.
	ErrMark = errors.New("the server stands at another batch")
)

// command is one command of the apply script: name, key and further words.
type command []any

// key is a further key among the words of a command; the first word after the name is one in any case.
type key string

// pack turns commands into the keys and words of the apply script.
func pack(keys []string, words []any, cmds []command) ([]string, []any) {
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
	for _, c := range cmds {
		words = append(words, len(c), c[0], at(c[1].(string)))
		for _, w := range c[2:] {
			if k, ok := w.(key); ok {
				words = append(words, at(string(k)))
			} else {
				words = append(words, w)
			}
		}
	}
	return keys, words
}

// eval applies commands, all of them or none. The script sees to it that each step is applied once, however often and
// however late its attempts arrive; an empty mark is housekeeping.
func (s *Store) eval(ctx context.Context, cmds []command, before, mark string) error {
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

// housekeep carries out commands that may be repeated, in transactions of bounded size.
func (s *Store) housekeep(ctx context.Context, cmds []command) error {
	for chunk := range slices.Chunk(cmds, readChunk) {
		if err := s.eval(ctx, chunk, "", ""); err != nil {
			return err
		}
	}
	return nil
}
