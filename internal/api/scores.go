package api

import (
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
)

// Scores reads one whole set of scores as of now. aoa redis serves them.
var Scores = Route[ScoresRequest, ScoresAnswer]{"POST", "/scores"}

// The sets of a ScoresRequest. The last four have an owner: a file, a tag, a file, a session.
const (
	ScoresRecency   = "recency"   // file → Unix seconds of its last access
	ScoresFrequency = "frequency" // file → accesses
	ScoresComposite = "composite" // file → probability that it is opened next, as recent work says; the highest 100
	ScoresTagFreq   = "tag_freq"  // tag → uses
	ScoresComod     = "comod"     // file → weight of changing together with the owner
	ScoresTag       = "tag"       // file → accesses under the tag
	ScoresFile      = "file"      // tag → accesses of the file under it
	ScoresSession   = "session"   // file → Unix seconds of its last open
)

// ScoresRequest names a set. If the set has owners and Owner is empty, the answer lists the owners,
// each with the sum of its scores, or for a session with the Unix seconds at which it expires.
type ScoresRequest struct {
	Set   string `json:"set"`
	Owner string `json:"owner,omitempty"`
}

// ScoresAnswer is the set, in no order. Members with a score below 1e-6 are left out.
type ScoresAnswer struct {
	Members []hot.Member      `json:"members"`
	Fields  map[string]string `json:"fields,omitempty"` // of a session: current_file, current_intent, last_access
	Expires time.Time         `json:"expires,omitzero"` // of a session: when it ends if nothing more happens
}
