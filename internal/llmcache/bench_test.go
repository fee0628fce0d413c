package llmcache

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
)

// prose is n bytes as agents set them aside: text that compresses, no two parts alike.
func prose(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "internal/dir%d/file%d.go:%d: func (s *Store) Method%d(ctx context.Context) error {\n", i%97,
			i*7919%5003, i%911, i*31%1009)
	}
	return b.Bytes()[:n]
}

// BenchmarkCache is one item written over itself and read, by size: p50 and p99.
func BenchmarkCache(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1KB", 1 << 10}, {"100KB", 100 << 10}, {"5MB", MaxItem}} {
		for _, data := range []struct {
			kind string
			b    []byte
		}{{"text", prose(size.n)}, {"noise", noise(size.n)}} {
			c := newTest(b, newClock(), 0)
			it := Item{Task: "t", Turn: "u", Description: "what it holds", Data: data.b, Overwrite: true}
			measure(b, fmt.Sprint("put/", size.name, "/", data.kind), func() error {
				_, err := c.Write(b.Context(), "s", []Item{it})
				return err
			})
			measure(b, fmt.Sprint("get/", size.name, "/", data.kind), func() error {
				got, err := c.Read(b.Context(), "s_t_u", Cut{})
				if err == nil && len(got.Data) != size.n {
					err = fmt.Errorf("%d bytes", len(got.Data))
				}
				return err
			})
		}
	}
}

// BenchmarkCacheList is the labels of a session of a hundred items of 400 KB, newest first.
func BenchmarkCacheList(b *testing.B) {
	c := newTest(b, newClock(), 0)
	data := noise(400 << 10)
	for i := range 100 {
		write(b, c, "s", Item{Task: "t", Turn: fmt.Sprint(i), Description: "what it holds", Data: data})
	}
	measure(b, "100", func() error {
		labels, _, err := c.List(b.Context(), Filter{Session: "s"})
		if err == nil && len(labels) != 100 {
			err = fmt.Errorf("%d labels", len(labels))
		}
		return err
	})
}

func measure(b *testing.B, name string, fn func() error) {
	b.Run(name, func(b *testing.B) {
		var ts []time.Duration
		b.ReportAllocs()
		for b.Loop() {
			begin := time.Now()
			check(b, fn())
			ts = append(ts, time.Since(begin))
		}
		slices.Sort(ts)
		at := func(share float64) float64 { return ts[min(len(ts)-1, int(share*float64(len(ts))))].Seconds() * 1000 }
		b.ReportMetric(at(.5), "p50-ms")
		b.ReportMetric(at(.99), "p99-ms")
		b.ReportMetric(0, "ns/op")
	})
}
