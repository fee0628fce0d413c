package prefetch

// Record counts the outcomes of the hints of one kind. A random tenth of the hints is withheld;
// their outcomes show what happens without a hint.
type Record struct {
	Kind     HintKind `json:"kind"`
	Shown    Tally    `json:"shown"`
	Withheld Tally    `json:"withheld"`
	Shadow   Tally    `json:"shadow"` // not probable enough to be shown
	Tokens   int64    `json:"tokens"` // estimated tokens of the texts that were shown
}

// Tally counts files with one status, or lists if the kind shows lists.
type Tally struct {
	Decided int64 `json:"decided"`
	// Those of Decided whose outcome is known. A list whose turn opened no file has no outcome.
	Resolved int64 `json:"resolved"`
	// Those of Resolved that were used in time. A list counts if one of its files was.
	Right int64 `json:"right"`
}

// Plus returns the sum of two tallies.
func (t Tally) Plus(o Tally) Tally {
	return Tally{t.Decided + o.Decided, t.Resolved + o.Resolved, t.Right + o.Right}
}

// status returns the tally of a status.
func (r *Record) status(a Status) *Tally {
	switch a {
	case Shown:
		return &r.Shown
	case Withheld:
		return &r.Withheld
	}
	return &r.Shadow
}
