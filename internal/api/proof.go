package api

import "github.com/aoa-dev/aoa/prefetch"

// ProofAnswer has the account of each kind of hints, counted from the log.
type ProofAnswer struct {
	prefetch.Proof
	Holdout   float64   `json:"holdout"` // share that is withheld now
	Searching Searching `json:"searching"`
}

// Searching is what searches and listings cost in this repository: the shipped estimate, moved to what was counted.
type Searching struct {
	Turns     int64   `json:"turns"`             // counted
	PerTurn   float64 `json:"searches_per_turn"` // before the turn opens its first file
	Searches  int64   `json:"searches"`          // counted
	PerSearch float64 `json:"tokens_per_search"` // of its result
}
