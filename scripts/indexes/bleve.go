package main

import (
	"math"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/search/query"
	scoring "github.com/blevesearch/bleve_index_api"
)

// bleves is an index of bleve that keeps no texts.
type bleves struct{ bleve.Index }

func openBleve(store, _ string, _ []string) engine {
	name := filepath.Join(store, "bleve")
	if x, err := bleve.Open(name); err == nil {
		return bleves{x}
	}
	m, doc := bleve.NewIndexMapping(), bleve.NewDocumentStaticMapping()
	m.ScoringModel = scoring.BM25Scoring
	check(m.AddCustomAnalyzer("words", map[string]any{"type": custom.Name, "tokenizer": whitespace.Name}))
	f := bleve.NewTextFieldMapping()
	f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues, f.Analyzer = false, false, false, false, "words"
	for _, name := range fields {
		doc.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping = doc
	x, err := bleve.New(name, m)
	check(err)
	return bleves{x}
}

func (b bleves) add(root string, files []string) {
	batch := b.NewBatch()
	for _, p := range files {
		doc := map[string]any{}
		for i, text := range document(root, p) {
			doc[fields[i]] = text
		}
		check(batch.Index(p, doc))
	}
	check(b.Batch(batch))
}

// search counts a word by the square root of its number, as package index does.
func (b bleves) search(asked terms, most int) map[string]float64 {
	out := map[string]float64{}
	var either []query.Query
	for field, words := range asked {
		for _, c := range words {
			q := query.NewTermQuery(c.Stem)
			q.SetField(fields[field])
			q.SetBoost(math.Sqrt(float64(c.N)))
			either = append(either, q)
		}
	}
	if len(either) == 0 {
		return out
	}
	found, err := b.Search(bleve.NewSearchRequestOptions(query.NewDisjunctionQuery(either), most, 0, false))
	check(err)
	for _, hit := range found.Hits {
		out[hit.ID] = hit.Score
	}
	return out
}
