package prefetch

// Record counts the outcomes of the hints of one kind. A tenth of the hints is withheld by chance,
// and their outcomes say what happens without a hint.
type Record struct {
	Kind     HintKind `json:"kind"`
	Shown    Tally    `json:"shown"`
	Withheld Tally    `json:"withheld"`
	Shadow   Tally    `json:"shadow"` // not likely enough to be shown
	Tokens   int64    `json:"tokens"` // of the texts that were shown, estimated
}

// Tally counts the files of one status; of a kind that shows lists, the lists.
type Tally struct {
	Decided  int64 `json:"decided"`
	Resolved int64 `json:"resolved"` // of these, those of which the outcome is known; no list whose turn opened nothing
	Right    int64 `json:"right"`    // of these, those that were used in time; of lists, those of which one file was
}

// Plus is the sum of two tallies.
func (t Tally) Plus(o Tally) Tally {
	return Tally{t.Decided + o.Decided, t.Resolved + o.Resolved, t.Right + o.Right}
}

// status is the tally of an status.
func (r *Record) status(a Status) *Tally {
	switch a {
	case Shown:
		return &r.Shown
	case Withheld:
		return &r.Withheld
	}
	return &r.Shadow
}
