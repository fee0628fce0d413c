package redisview

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// Daemon is a client of a daemon that answers with these functions.
func Daemon(t *testing.T, scores func(context.Context, api.ScoresRequest) (api.ScoresAnswer, error),
	stats func(context.Context, api.StatsRequest) (api.StatsAnswer, error)) *api.Client {
	t.Helper()
	mux := http.NewServeMux()
	api.Handle(mux, api.Scores, scores)
	api.Handle(mux, api.Stats, stats)
	api.Handle(mux, api.Threshold, func(context.Context, api.None) (api.ThresholdAnswer, error) {
		return api.ThresholdAnswer{Value: .65}, nil
	})
	dir := fault.Must(os.MkdirTemp("", "aoa")) // a short name for the socket
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := fault.Must(locate.Create(dir, func(string) string { return dir }))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	ln := fault.Must(api.Listen(p))
	go func() { (&api.Server{HTTP: mux}).Serve(ctx, ln); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	return &api.Client{Place: p, Patience: 20}
}

// TestHostileArguments: no arguments of a command crash the server, make it wait, or write to what
// is not the client's.
func TestHostileArguments(t *testing.T) {
	v := &view{redis: started(), now: time.Now, daemon: Daemon(t,
		func(_ context.Context, r api.ScoresRequest) (a api.ScoresAnswer, err error) {
			a.Members, a.Fields = []hot.Member{{Name: "a", Score: 1}, {Name: "b", Score: 2}}, map[string]string{"f": "v"}
			a.Expires = time.Now().Add(time.Hour)
			if r.Owner == "refused" {
				err = errors.New("refused")
			}
			return a, err
		},
		func(context.Context, api.StatsRequest) (a api.StatsAnswer, err error) { return a, nil })}
	words := append(strings.Fields(`0 1 -1 2 1024 9223372036854775807 -9223372036854775808 1e308 nan -inf +inf (1 [a WITHSCORES WITHSCORE
		LIMIT WEIGHTS AGGREGATE SUM BYSCORE BYLEX REV MATCH COUNT TYPE * [ [^ \ GT NX EX KEEPTTL SETNAME AUTH 3 a f mine other
		aoa:scores:recency aoa:scores:frequency aoa:composite aoa:temp:x aoa:session:s aoa:tag:go aoa:prefetch_log
		aoa:tag:refused aoa: aoa:session:`), "", "\r\n", "\x00", strings.Repeat("x", 5000))
	names := slices.DeleteFunc(slices.Concat(reading, listing, writing, deleting),
		func(name string) bool { return name == "QUIT" })
	r, out := rand.New(rand.NewPCG(1, 1)), &bytes.Buffer{}
	p := server.NewPeer(bufio.NewWriter(out))
	replies := 0
	for range 60_000 {
		args := []string{names[r.IntN(len(names))]}
		for range r.IntN(8) {
			args = append(args, words[r.IntN(len(words))])
		}
		v.run(t.Context(), p, out, args)
		if p.Flush(); out.Len() == 0 {
			t.Fatalf("%q: no reply", args)
		}
		if out.Bytes()[0] != '-' {
			replies++
		}
		out.Reset()
	}
	if replies < 5000 {
		t.Errorf("only %d commands were right", replies)
	}
	v.run(t.Context(), p, out, []string{"KEYS", "[^"}) // miniredis panics
	if p.Flush(); !strings.HasPrefix(out.String(), "-ERR miniredis failed") {
		t.Errorf("a pattern that is not valid: %q", out)
	}
	out.Reset()
	v.run(t.Context(), p, out, []string{"ZRANGE", "aoa:scores:frequency", "0", "-1", "WITHSCORES"})
	if p.Flush(); !strings.Contains(out.String(), "a") || strings.Contains(out.String(), "x") {
		t.Errorf("the daemon's set is %q", out)
	}
}
