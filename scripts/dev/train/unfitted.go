package main

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// curious are models under which every signal is computed, with weights near 0. Fitting must see
// all signals, and must not begin with what an earlier fit found. If there are too many candidates,
// those with the most evidence are kept.
func curious() map[event.Task]rank.Model {
	var m rank.Model
	for s := range m.Weights {
		m.Weights[s] = 1e-9
	}
	// signals that are no evidence
	for _, s := range []rank.Signal{rank.Unseen, rank.Size, rank.Test, rank.Upkeep} {
		m.Weights[s] = 1e-15
	}
	out := rank.Prior()
	for task := range out {
		out[task] = m
	}
	return out
}

// plain are weights of texts that were not fitted: all fields of a file count the same, and its
// kind does not count.
func plain() (texts rank.Texts) {
	said := slices.Index(rank.TextSignalNames(), "depth")
	for k := range texts {
		for s := range said {
			texts[k][s] = 1
		}
	}
	return texts
}
