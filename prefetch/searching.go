package prefetch

// Searching is what searches and listings cost in a repository, counted from its log. What it estimates begins at a
// shipped value, and moves to the repository's own as that is seen. The zero value is the shipped one.
type Searching struct {
	Turns    int64 // turns that were shown no list and opened a file that their session had not opened before
	Before   int64 // searches and listings of these turns before that
	Searches int64 // searches and listings of which the size of the result is known
	Tokens   int64 // of their results
}

// The shipped estimate, and how many observations it is worth. In recordings of thirteen repositories a turn searches
// 1.9 times before it opens its first file. Repositories differ by a sixteenth of the variance within one, so that 16
// turns weigh as much as the shipped value. Recordings have no sizes; sizes vary more than counts do, so their prior
// is worth more.
const (
	turnSearches = 1.9
	searchTokens = 1000.0 // of the result of one search
	turnsPrior   = 16     // turns
	sizesPrior   = 50     // searches
)

// PerTurn is how often a turn searches before it opens its first file.
func (s Searching) PerTurn() float64 {
	return (turnSearches*turnsPrior + float64(s.Before)) / float64(turnsPrior+s.Turns)
}

// PerSearch is how many tokens the result of a search has.
func (s Searching) PerSearch() float64 {
	return (searchTokens*sizesPrior + float64(s.Tokens)) / float64(sizesPrior+s.Searches)
}

// SearchEstimate is Searching with what it estimates.
type SearchEstimate struct {
	Turns     int64   `json:"turns"`
	PerTurn   float64 `json:"searches_per_turn"`
	Searches  int64   `json:"searches"`
	PerSearch float64 `json:"tokens_per_search"`
}

// Estimate is what searches cost, with the counts that say so.
func (s Searching) Estimate() SearchEstimate {
	return SearchEstimate{s.Turns, s.PerTurn(), s.Searches, s.PerSearch()}
}

// Spared is how many tokens a list spares that is right.
func (s Searching) Spared() float64 { return s.PerTurn() * s.PerSearch() }
