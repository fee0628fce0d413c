package api

import (
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// ProofAnswer has the account of each kind of hints, counted from the log.
type ProofAnswer struct {
	From     time.Time   `json:"from,omitzero"` // of the first decision
	To       time.Time   `json:"to,omitzero"`   // of the last
	Sessions int         `json:"sessions"`      // with a decision
	Holdout  float64     `json:"holdout"`       // share that is withheld now
	Kinds    []ProofKind `json:"kinds"`
	Spent    float64     `json:"tokens_spent"`            // of all kinds
	Spared   *Interval   `json:"tokens_spared,omitempty"` // of the kinds for which it is known; absent without any
	Decided  int         `json:"decided"`                 // decisions that were shown and are settled
	Wrong    int         `json:"wrong"`                   // of these, those that named no file that was used
	Losses   []ProofLoss `json:"losses"`                  // of these, the newest 20, the newest first

	Searching Searching `json:"searching"`
}

// Searching is what searches and listings cost in this repository: the shipped estimate, moved to what was counted.
type Searching struct {
	Turns     int64   `json:"turns"`             // counted
	PerTurn   float64 `json:"searches_per_turn"` // before the turn opens its first file
	Searches  int64   `json:"searches"`          // counted
	PerSearch float64 `json:"tokens_per_search"` // of its result
}

// Interval is an estimate with its 95 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ProofKind is the account of one kind. A share of hints is decided like all others and withheld, by chance: it shows
// what happens without hints.
type ProofKind struct {
	Kind     string   `json:"kind"`
	Texts    int      `json:"texts"` // said
	Shown    ProofArm `json:"shown"`
	Withheld ProofArm `json:"withheld"`
	// share of shown ones that were right, less that of withheld ones; absent without either
	Right *Interval `json:"right,omitempty"`
	// and listings from a decision to the open of the file, or of the first file of the list
	Searched         float64 `json:"searches"`
	SearchedWithheld float64 `json:"searches_withheld"` // the same of withheld ones
	Spent            float64 `json:"tokens_spent"`
	// bootstrap over sessions; absent below ten settled ones of either arm
	Spared  *Interval `json:"tokens_spared,omitempty"`
	Finding string    `json:"finding"`           // helps, loses, undecided
	Lacking *Lacking  `json:"lacking,omitempty"` // what a finding needs
}

// ProofArm counts files, or lists of the kinds that show lists.
type ProofArm struct {
	Predicted int64 `json:"decided"`
	Settled   int64 `json:"settled"`
	Used      int64 `json:"right"`
}

// Lacking is what is missing for a finding.
type Lacking struct {
	Shown    int64     `json:"shown"` // settled ones
	Withheld int64     `json:"withheld"`
	When     time.Time `json:"when,omitzero"` // it will be there, if the work goes on as it did; absent without any so far
}

// ProofLoss is a hint that was wrong.
type ProofLoss struct {
	At      time.Time    `json:"at"`
	Session string       `json:"session_id"`
	Kind    string       `json:"kind"`
	Named   []event.Path `json:"named"`
	Opened  []event.Path `json:"opened"` // instead, the first ones
	Tokens  int          `json:"tokens"`
}
