package redisview

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func encode(args []string) []byte {
	out := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		out = fmt.Appendf(out, "$%d\r\n%s\r\n", len(a), a)
	}
	return out
}

// TestReadCommand says of the input in each line of testdata/commands.txt what is read (-update writes it).
func TestReadCommand(t *testing.T) {
	read := func(in string) string {
		args, err := readCommand(bufio.NewReader(strings.NewReader(in)))
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%q", args)
	}
	fault.Replies(t, "testdata/commands.txt", func(line string) []string { return []string{read(fault.Must(strconv.Unquote(line)))} })
	long := string(encode(slices.Repeat([]string{strings.Repeat("x", maxArgument)}, 5)))
	fault.Same(t, "a long command", read(long), "Protocol error: a length is not a number, or larger than 0")
}

// FuzzCommand: what is read as a command can be written and read again; nothing else than bad input
// is an error.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"*0\r\n", "*-1\r\n*1\r\n$4\r\nPING\r\n", "*1\r\n$99999999999\r\n", "PING\r\n",
		"*2\r\n$-1\r\n", "\r\n", "*1\r\n$1\r\nab\r\n"} {
		f.Add([]byte(seed))
	}
	f.Add(encode([]string{"ZUNIONSTORE", "aoa:composite", "1", "aoa:scores:recency"}))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReader(bytes.NewReader(in))
		for {
			args, err := readCommand(r)
			if err != nil {
				return
			}
			size := 0
			for _, a := range args {
				size += len(a)
			}
			if again, err := readCommand(bufio.NewReader(bytes.NewReader(encode(args)))); err != nil ||
				!slices.Equal(again, args) || len(args) > maxArguments || size > maxCommand {
				t.Fatalf("%q is read as %q, then %q: %v", in, args, again, err)
			}
		}
	})
}

// TestHostileArguments: no arguments of a command crash the server, make it wait, or write to what
// is not the client's.
func TestHostileArguments(t *testing.T) {
	v := &view{redis: started(), Options: Options{Now: time.Now,
		Scores: func(_ context.Context, r api.ScoresRequest) (a api.ScoresAnswer, err error) {
			a.Members, a.Fields = []hot.Member{{Name: "a", Score: 1}, {Name: "b", Score: 2}}, map[string]string{"f": "v"}
			a.Expires = time.Now().Add(time.Hour)
			if r.Owner == "refused" {
				err = errors.New("refused")
			}
			return a, err
		},
		Threshold: func(context.Context) (a api.ThresholdAnswer, err error) { return a, nil },
		Stats:     func(context.Context, api.StatsRequest) (a api.StatsAnswer, err error) { return a, nil }}}
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
