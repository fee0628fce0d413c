package api

import "github.com/aoa-dev/aoa/prefetch"

// ProofAnswer has the account of each kind of hints, counted from the log.
type ProofAnswer struct {
	prefetch.Proof
	Holdout   float64                 `json:"holdout"` // share that is withheld now
	Searching prefetch.SearchEstimate `json:"searching"`
}
