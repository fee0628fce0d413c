package main

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// curious are models under which every signal is looked up, with no weights to speak of: who fits
// weights must see all, and must not begin with what an earlier fit found. Of too many candidates
// those with the most evidence are kept.
func curious() map[event.Task]rank.Model {
	var m rank.Model
	for s := range m.Weights {
		m.Weights[s] = 1e-9
	}
	for _, s := range []rank.Signal{rank.Unseen, rank.Size, rank.Test, rank.Upkeep} { // no evidence
		m.Weights[s] = 1e-15
	}
	out := rank.Prior()
	for task := range out {
		out[task] = m
	}
	return out
}

// plain are weights of texts that no fit has found: all that a file says counts the same, what kind
// of file it is nothing.
func plain() (texts rank.Texts) {
	said := slices.Index(rank.TextSignalNames(), "init")
	for k := range texts {
		for s := range said {
			texts[k][s] = 1
		}
	}
	return texts
}
