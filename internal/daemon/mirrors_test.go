package daemon

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
)

// TestMirrors: what questions are answered from, with a server, without it, and when it is back.
func TestMirrors(t *testing.T) {
	m := miniredis.RunT(t)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	connect := func(who string) *redis.Store {
		s, err := redis.Open(t.Context(), redis.Options{URL: "redis://" + m.Addr(), Repo: "r", Writer: who})
		check(err)
		t.Cleanup(func() { s.Close() })
		check(s.Load(t.Context()))
		return s
	}
	own := hot.New(nil)
	x := mirrors{store: own}
	now := time.Now()
	batch := func(files ...string) *hot.Batch {
		b := hot.NewBatch()
		for _, f := range files {
			b.Add(hot.Frequency, "", f, now, 1)
		}
		return b
	}
	seq := int64(0)
	learn := func(b *hot.Batch) {
		t.Helper()
		seq++
		check(own.Apply(t.Context(), b, seq))
		x.learned(b, seq)
	}
	expect := func(what string, want float64) {
		t.Helper()
		v := own.View(now)
		got := v.Of(hot.Frequency, []string{"a"})
		check(v.Load(t.Context()))
		if math.Abs(got.Value[0]-want) > 1e-9 {
			t.Errorf("%s: a is %v, want %v", what, got.Value[0], want)
		}
	}
	learn(batch("a"))
	expect("before there is a server", 1)

	other := connect("other")
	check(other.Apply(t.Context(), batch("a", "a2"), 1))
	server := connect("me")
	x.begin(server.Mirror())
	expect("before the server has all", 1)
	check(server.Apply(t.Context(), batch("a"), 1))
	check(server.Sync(t.Context()))
	x.share()
	expect("with the server", 2)
	learn(batch("a"))
	expect("before the server has confirmed it", 2)

	x.stop()
	expect("when the server is lost", 3)
	learn(batch("a"))
	expect("while the server is gone", 4)
	if x.goOn(server.Sent()) != nil {
		t.Error("a mirror with batches of its own follows the server")
	}

	again := connect("me")
	x.begin(again.Mirror())
	learn(batch("a"))
	expect("until the server has all", 5)
	for n := int64(2); n <= seq; n++ {
		check(again.Apply(t.Context(), batch("a"), n))
	}
	check(again.Sync(t.Context()))
	x.share()
	expect("with the server again", 5)

	x.stop()
	if x.goOn(again.Sent()) != again.Mirror() {
		t.Error("a mirror without batches of its own is thrown away")
	}
	check(other.Apply(t.Context(), batch("a"), 2))
	check(again.Sync(t.Context()))
	expect("after nothing was missed", 6)

	var many []string
	for i := range maxLearning {
		many = append(many, fmt.Sprint("f", i))
	}
	learn(batch(append(many, "a")...))
	x.stop()
	expect("when the server is lost in the middle of an import", 5)
}
