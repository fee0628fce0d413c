package redis

import (
	"context"
	_ "embed" // the scripts
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/apply.lua
	applyText string
	//go:embed lua/claim.lua
	claimText string
	//go:embed lua/load.lua
	loadText string

	applyScript = redis.NewScript(applyText)
	claimScript = redis.NewScript(claimText)
	loadScript  = redis.NewScript(loadText)
)

// Errors after which the connection is opened again.
var (
	// ErrMark means that the server has more or less of this writer's batches than this process knew of.
	ErrMark = errors.New("the server is at another batch")
	// ErrNewer means that a newer aOa shares the repository on the server.
	ErrNewer = errors.New("a newer aOa writes to the server")

	errBehind = errors.New("the stream has gone on")
	errGap    = errors.New("the server's stream was cut, or is another one")
)

// call is one call of the apply script. Without marks the step may be repeated.
type call struct {
	step          []byte
	before, after string
	at            string // the stream's entry that the step was planned at; "" is any
	cut           bool   // the stream keeps nothing but this step
}

// streamLength is how many steps the stream keeps; one has some 64 KB at most.
const streamLength = 2000

// apply applies a step and appends it to the stream. The script sees to it that each is applied once, however often and
// however late its attempts arrive.
func (s *Store) apply(ctx context.Context, c call) error {
	keep := streamLength
	if c.cut {
		keep = 0
	}
	v, err := applyScript.Run(ctx, s.client, []string{s.keys.stream(), s.keys.applied()}, s.keys.prefix, s.writer, c.before, c.after, c.at,
		strconv.FormatUint(rand.Uint64()>>1, 10), keep, c.step).Text()
	switch {
	case err != nil:
		return err
	case v == "ok" || v == "again": // again: the attempt whose answer was lost did arrive
		return nil
	case v == "behind":
		return errBehind
	}
	return fmt.Errorf("%w: at %s, not at %s", ErrMark, strings.TrimPrefix(v, "="), c.before)
}
