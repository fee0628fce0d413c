package index_test

import (
	"runtime"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// benchFiles is the number of files of a middling repository.
const benchFiles = 4000

// benchmarked is an index of the files of a generated repository, with their paths and texts.
func benchmarked(b *testing.B, files int) (*index.Contents, []event.Path, [][]byte) {
	b.Helper()
	g, c := newGenerator(files), index.NewContents()
	paths, texts := make([]event.Path, files), make([][]byte, files)
	for i := range files {
		paths[i], texts[i] = g.file(i)
		c.Set(paths[i], texts[i])
	}
	return c, paths, texts
}

// BenchmarkBuild reads all files, and reports what is held after that.
func BenchmarkBuild(b *testing.B) {
	_, paths, texts := benchmarked(b, benchFiles)
	heap := func() uint64 {
		var m runtime.MemStats
		index.ForgetTokens()
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var c *index.Contents
	for b.Loop() {
		c = index.NewContents()
		for i, p := range paths {
			c.Set(p, texts[i])
		}
	}
	b.ReportMetric(float64(heap()-before)/float64(c.Len()), "heap-B/file")
	runtime.KeepAlive([]any{c, paths, texts})
}

// BenchmarkSave saves one file after the other again.
func BenchmarkSave(b *testing.B) {
	c, paths, texts := benchmarked(b, benchFiles)
	i := 0
	for b.Loop() {
		c.Set(paths[i%benchFiles], texts[(i*7+1)%benchFiles])
		i++
	}
}

// BenchmarkMatch asks about texts of 6, 40 and 300 words, when 100 files have been saved since all
// were packed.
func BenchmarkMatch(b *testing.B) {
	c, paths, texts := benchmarked(b, benchFiles)
	c.Pack()
	for i := range 100 {
		c.Set(paths[i*31%benchFiles], texts[i])
	}
	g := newGenerator(benchFiles)
	var asked []index.Text
	for i := range 30 {
		asked = append(asked, index.ParseText(g.text([]int{6, 40, 300}[i%3], i)))
	}
	i := 0
	for b.Loop() {
		c.Match(asked[i%len(asked)])
		i++
	}
}

// BenchmarkAlike finds what is like a file and what it calls.
func BenchmarkAlike(b *testing.B) {
	c, paths, texts := benchmarked(b, benchFiles)
	c.Pack()
	for i := range 100 {
		c.Set(paths[i*31%benchFiles], texts[i])
	}
	i := 0
	for b.Loop() {
		c.Alike(paths[i*17%benchFiles], 8)
		c.Called(paths[i*17%benchFiles], 8)
		i++
	}
}

// BenchmarkLoad reads what is kept on disk.
func BenchmarkLoad(b *testing.B) {
	c, _, _ := benchmarked(b, benchFiles)
	packed, err := c.Packed()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := index.Unpacked(packed); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNames finds what names mean: exact ones, ends of paths, and slips.
func BenchmarkNames(b *testing.B) {
	g := newGenerator(benchFiles)
	var paths []event.Path
	for i := range benchFiles {
		p, _ := g.file(i)
		paths = append(paths, p)
	}
	l := index.NewLocator(index.NewTree(paths), nil, "/repo", "/repo")
	i := 0
	for b.Loop() {
		p := paths[i*17%benchFiles]
		l.Find(string(p), index.Exact, index.Spelling)
		l.Find(p.Base(), index.Exact, index.Spelling)
		l.Find(string(p[:3]+"x"+p[3:]), index.Exact, index.Spelling)
		i++
	}
}

// BenchmarkWords makes the index of the words of all paths.
func BenchmarkWords(b *testing.B) {
	g := newGenerator(benchFiles)
	var paths []event.Path
	for i := range benchFiles {
		p, _ := g.file(i)
		paths = append(paths, p)
	}
	for b.Loop() {
		index.NewTree(paths).Word("")
	}
}
