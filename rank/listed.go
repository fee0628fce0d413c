package rank

import "github.com/aoa-dev/aoa/internal/event"

// listings returns, for each file in a result list of the session, 1/(1+files opened since), of the
// newest list that names it.
func (x *queryContext) listings() map[event.Path]float64 {
	out := map[event.Path]float64{}
	for _, r := range x.did.Results {
		if !r.Listing {
			continue
		}
		opened := 0
		for _, o := range x.did.Opened {
			if o.Clock > r.Clock {
				opened++
			}
		}
		for _, f := range r.Files {
			out[f] = max(out[f], 1/float64(1+opened))
		}
	}
	return out
}
