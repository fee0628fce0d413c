package api

import (
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
)

// Scores returns one whole set of present scores, for aoa redis.
var Scores = Route[ScoresRequest, ScoresAnswer]{"POST", "/scores"}

// The sets for ScoresRequest. Each of the last four belongs to an owner: a file, a tag, a file, and
// a session.
const (
	ScoresRecency   = "recency"   // file: Unix seconds of its last access
	ScoresFrequency = "frequency" // file: number of accesses
	// file: probability, judging by recent work, that it is opened next; the most probable ones.
	ScoresComposite = "composite"
	ScoresTagFreq   = "tag_freq" // tag: number of uses
	ScoresComod     = "comod"    // file: weight of changing together with the owner
	ScoresTag       = "tag"      // file: number of accesses under the tag
	ScoresFile      = "file"     // tag: number of accesses of the file under it
	ScoresSession   = "session"  // file: Unix seconds of its last open in the session
)

// ScoresRequest names a set. If the set has owners and Owner is empty, the answer lists the owners,
// each with the sum of its scores; a session is listed with the Unix seconds at which it expires.
type ScoresRequest struct {
	Set   string `json:"set"`
	Owner string `json:"owner,omitempty"`
}

// ScoresAnswer has the members of the set, in no order. Members with a score below 1e-6 are left
// out.
type ScoresAnswer struct {
	Members []hot.Member `json:"members"`
	// for a session: current_file, current_intent, last_access and so on
	Fields  map[string]string `json:"fields,omitempty"`
	Expires time.Time         `json:"expires,omitzero"` // for a session: when it ends if nothing more happens
}
