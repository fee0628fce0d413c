package index_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// sizes are the numbers of files that are measured.
var sizes = []int{1_000, 10_000, 100_000}

// filled are indexes that benchmarks share.
var filled = map[int]func() *fullIndex{}

// fullIndex is an index of a generated repository.
type fullIndex struct {
	*index.Contents
	g     *generator
	files []event.Path
	texts [][]byte // of the first files
	heap  uint64   // bytes that it takes
}

func init() {
	for _, n := range sizes {
		filled[n] = sync.OnceValue(func() *fullIndex {
			x := &fullIndex{Contents: index.NewContents(), g: newGenerator(n), files: make([]event.Path, n)}
			for i := range 1000 {
				p, text := x.g.file(i)
				x.files[i] = p
				x.texts = append(x.texts, text)
			}
			before := heapAlloc()
			for i := range n {
				p, text := x.g.file(i)
				x.files[i] = p
				x.Set(p, text)
			}
			x.Pack()
			index.ForgetTokens()
			x.heap = heapAlloc() - before
			return x
		})
	}
}

func heapAlloc() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func eachSize(b *testing.B, bench func(b *testing.B, x *fullIndex)) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 10_000 && testing.Short() {
				b.Skip("takes a minute")
			}
			bench(b, filled[n]())
		})
	}
}

// BenchmarkIndexMemory tells the bytes of heap for each file.
func BenchmarkIndexMemory(b *testing.B) {
	eachSize(b, func(b *testing.B, x *fullIndex) {
		for b.Loop() {
			_ = x.Len()
		}
		b.ReportMetric(float64(x.heap)/float64(len(x.files)), "B/file")
	})
}

// BenchmarkIndexFirst indexes 1,000 files again.
func BenchmarkIndexFirst(b *testing.B) {
	x := filled[1000]()
	bytes := 0
	for _, text := range x.texts {
		bytes += len(text)
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		c := index.NewContents()
		for i, text := range x.texts {
			c.Set(x.files[i], text)
		}
	}
}

// BenchmarkIndexUpdate saves one file after the other.
func BenchmarkIndexUpdate(b *testing.B) {
	eachSize(b, func(b *testing.B, x *fullIndex) {
		for i := 0; b.Loop(); i++ {
			x.Set(x.files[i%1000], x.texts[(i+1)%1000])
		}
	})
}

// BenchmarkIndexText asks with 8 and with 300 words.
func BenchmarkIndexText(b *testing.B) {
	for _, words := range []int{8, 300} {
		b.Run(fmt.Sprint(words), func(b *testing.B) {
			eachSize(b, func(b *testing.B, x *fullIndex) {
				var texts []index.Text
				for i := range 8 {
					texts = append(texts, index.ParseText(x.g.text(words, i*len(x.files)/200)))
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if len(x.Match(texts[i%8])) == 0 {
						b.Fatal("nothing found")
					}
				}
			})
		})
	}
}

// BenchmarkIndexPhrases compares 30 files with texts of 8 and of 300 words.
func BenchmarkIndexPhrases(b *testing.B) {
	x := filled[1000]()
	for _, words := range []int{8, 300} {
		b.Run(fmt.Sprint(words), func(b *testing.B) {
			text := index.ParseText(x.g.text(words, 5))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i * 30 % 900
				if len(text.Phrases(x.texts[at:at+30])) == 0 {
					b.Fatal("no values")
				}
			}
		})
	}
}

// BenchmarkIndexAlike asks which files share identifiers with a file, and which define what it uses.
func BenchmarkIndexAlike(b *testing.B) {
	eachSize(b, func(b *testing.B, x *fullIndex) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			x.Alike(x.files[i%1000], 40)
			x.Called(x.files[i%1000], 40)
		}
	})
}

// BenchmarkIndexStart takes what was kept on disk, which happens in the background.
func BenchmarkIndexStart(b *testing.B) {
	eachSize(b, func(b *testing.B, x *fullIndex) {
		packed, err := x.Packed()
		fault.Check(b, err)
		for b.Loop() {
			if c, err := index.Unpacked(packed); err != nil || c.Len() != len(x.files) {
				b.Fatal(c.Len(), err)
			}
		}
		b.ReportMetric(float64(len(packed))/float64(len(x.files)), "disk-B/file")
	})
}
