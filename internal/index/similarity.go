package index

import (
	"math"
	"slices"
)

// The constants of BM25: k1 limits how much repetitions of a word add, b how much the length of a
// text matters. The values are the usual ones, in the middle of the range that Robertson and
// Zaragoza recommend ("The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3).
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// bm25 returns the weight of a word that occurs tf times in a text, relative to the inverse
// document frequency of the word: tf·(k1+1) / (tf + k1·(1-b+b·length/mean)). length is that of the
// text, mean that of all texts.
func bm25(tf, length, mean float64) float64 {
	return tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*length/mean))
}

// idf returns the inverse document frequency of a word that "with" of n texts have: ln(1 +
// (n-with+½)/(with+½)). The 1 keeps it positive for words that more than half of the texts have;
// without it the formula is that of Robertson and Spärck Jones (1976).
func idf(n, with float64) float64 { return math.Log(1 + (n-with+.5)/(with+.5)) }

// Rarity returns the smoothed inverse document frequency of a word in names, where each word occurs
// once: ln(1 + files/(1+with)). It is 0 or more.
func Rarity(files, with int) float64 { return math.Log(1 + float64(files)/float64(1+with)) }

// Relevance compares texts with a query by BM25. It returns for each text a share in [0,1] of the
// score that a text with exactly the terms of the query would get, or 0 if the text shares fewer
// than least terms with the query. Each term counts once per text.
func Relevance(texts [][]string, query []string, least int) []float64 {
	with, total := map[string]float64{}, 0.0
	for _, terms := range texts {
		total += float64(len(terms))
		for _, t := range terms {
			with[t]++
		}
	}
	n := float64(len(texts))
	mean := max(1, total/max(1, n))
	score := func(term string, length int) float64 { return idf(n, with[term]) * bm25(1, float64(length), mean) }
	best := 0.0
	for _, t := range query {
		best += score(t, len(query))
	}
	out := make([]float64, len(texts))
	for i, terms := range texts {
		sum, shared := 0.0, 0
		for _, t := range query {
			if slices.Contains(terms, t) {
				shared++
				sum += score(t, len(terms))
			}
		}
		if shared >= least && best > 0 {
			out[i] = min(1, sum/best)
		}
	}
	return out
}
