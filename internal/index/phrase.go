package index

import (
	"bytes"
	"math"
)

// Phrases rates files by the pairs of words (see Text.Pairs) that follow each other in one of their
// lines, in the same order as in the text. This may be in an identifier, in code or in prose. The
// value of a file is Σ ln(1+N/n)/√n over its pairs: n of the N files have the pair. A nil file gets
// 0.
func (t Text) Phrases(files [][]byte) []float64 {
	x := extractors.Get().(*extractor)
	defer extractors.Put(x)
	x.begin()
	pairs := make(map[[2]uint32]int, len(t.Pairs))
	for i, p := range t.Pairs {
		pairs[[2]uint32{x.stem(p[0]), x.stem(p[1])}] = i
	}
	first := make([]bool, len(x.words)) // for each word, whether a pair begins with it
	for p := range pairs {
		first[p[0]] = true
	}
	found, having := make([][]bool, len(files)), make([]int, len(t.Pairs))
	for i, text := range files {
		found[i] = make([]bool, len(t.Pairs))
		x.neighbors(text, first, func(a, b uint32) {
			if k, asked := pairs[[2]uint32{a, b}]; asked && !found[i][k] {
				found[i][k] = true
				having[k]++
			}
		})
	}
	values := make([]float64, len(files))
	for i := range files {
		for k, has := range found[i] {
			if n := float64(having[k]); has {
				values[i] += math.Log1p(float64(len(files))/n) / math.Sqrt(n)
			}
		}
	}
	return values
}

// neighbors calls see for every two stems that follow each other in a line, if asked has the first
// one.
func (x *extractor) neighbors(text []byte, asked []bool, see func(a, b uint32)) {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		last, wanted := uint32(0), false
		for run := range names(line) {
			if len(run) < 2 || len(run) > maxToken {
				continue
			}
			for _, stem := range x.all[x.token(run)].stems {
				if wanted {
					see(last, stem)
				}
				last, wanted = stem, int(stem) < len(asked) && asked[stem]
			}
		}
	}
}
