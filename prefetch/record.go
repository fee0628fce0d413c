package prefetch

// Tally counts the predicted files of one arm; of a kind that shows lists, the lists.
type Tally struct {
	Predicted int64 `json:"decided"` // files predicted
	// of these, those whose horizon is over or that were opened; of lists, those whose turn opened a file
	Resolved int64 `json:"resolved"`
	Used     int64 `json:"right"` // of these, those that were opened in time; of lists, those of which one file was
}

// Record is what a kind's predictions came to.
type Record struct {
	Kind                    Kind
	Shown, Withheld, Shadow Tally
	Tokens                  int64 // estimated tokens of what was shown
	Retired                 bool  // it keeps silent, for showing it changed nothing
}
