package prefetch

// Tally counts the predicted files of one arm; of a kind that shows lists, the lists.
type Tally struct {
	Predicted int64 `json:"decided"` // files predicted
	// of these, those whose horizon is over or that were opened; of lists, those whose turn opened a file
	Resolved int64 `json:"resolved"`
	Used     int64 `json:"right"` // of these, those that were opened in time; of lists, those of which one file was
}

// Plus is the sum of two tallies.
func (t Tally) Plus(o Tally) Tally {
	return Tally{t.Predicted + o.Predicted, t.Resolved + o.Resolved, t.Used + o.Used}
}

// Record is the result of a kind's predictions.
type Record struct {
	Kind     Kind  `json:"kind"`
	Shown    Tally `json:"shown"`
	Withheld Tally `json:"withheld"`
	Shadow   Tally `json:"shadow"`
	Tokens   int64 `json:"tokens"`  // estimated tokens of what was shown
	Retired  bool  `json:"retired"` // it is not shown any more: showing it changed nothing
}
