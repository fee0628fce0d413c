package rank

import (
	"math"
	"strings"
	"time"
)

// The constants of the formulas.
const (
	hour           = time.Hour
	day            = 24 * time.Hour
	committedHalf  = 30 * day
	manyCommitted  = 100.0 // number of commits at which Churn is 1
	comodSmooth    = 0.1   // added to N in the ratio of common changes
	coaccessSmooth = 0.5   // added to the number of sessions
	termSmooth     = 1.0   // added to the uses of a term
	certainty      = 0.98  // keeps noisyOr below 1 if there is only one partner
	openedScale    = 4.0   // ln(1+open files) at which Scored.Opened is 1
	maxQueryTags   = 3     // tags of a query that are used
	maxFileTags    = 5     // matching tags of a file that are used
)

// unit limits x to [0,1]. NaN becomes 0, so that one bad value does not spoil a score.
func unit(x float64) float64 {
	if !(x > 0) { // also NaN
		return 0
	}
	return math.Min(x, 1)
}

// recency returns a value that halves with every half-life since the stamp (Unix seconds; 0 means
// never). A stamp in the future counts as now.
func recency(stamp float64, at time.Time, half time.Duration) float64 {
	if !(stamp > 0) {
		return 0
	}
	age := math.Max(0, float64(at.UnixMilli())/1000-stamp)
	return unit(math.Exp2(-age / half.Seconds()))
}

// logShare returns ln(1+n)/ln(1+manyCommitted), at most 1, because each further commit adds less.
func logShare(n float64) float64 {
	if !(n > 0) {
		return 0
	}
	return unit(math.Log1p(n) / math.Log1p(manyCommitted))
}

// share returns certainty·w/(n+smooth) in [0,1): of the n times that the owner occurred, how often
// the partner occurred with it.
func share(w, n, smooth float64) float64 {
	if !(w > 0) {
		return 0
	}
	return certainty * unit(w/(math.Max(n, 0)+smooth))
}

// noisyOr computes 1 − Π(1−pᵢ), the probability that at least one of several independent causes
// applies.
type noisyOr struct{ miss float64 }

func (o *noisyOr) add(p float64) { o.miss = 1 - (1-o.miss)*(1-unit(p)) }
func (o noisyOr) value() float64 { return unit(o.miss) }

// tags returns the share of the query's tags (at most maxQueryTags) that a file has. A tag with
// weight w counts w/(w+1), so that a single access under a tag is weak evidence. At most
// maxFileTags of a file's tags count.
func tags(weights []float64, asked int) float64 {
	if asked == 0 {
		return 0
	}
	sum, n := 0.0, 0
	for _, w := range weights {
		if w > 0 && n < maxFileTags {
			sum += unit(w / (w + 1))
			n++
		}
	}
	return unit(sum / float64(min(asked, maxQueryTags)))
}

// opened returns a value that grows with the number of open and current files: the more there are,
// the less probable is any other file.
func opened(n int) float64 { return unit(math.Log1p(float64(max(n, 0))) / openedScale) }

// proximity returns the number of leading folders that two folders have in common, divided by the
// depth of the deeper one. Two files at the root have proximity 1.
func proximity(a, b string) float64 {
	if a == b {
		return 1
	}
	common, depth := 0, 0
	same := true
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, "/")
		y, b, _ = strings.Cut(b, "/")
		same = same && x == y
		if same {
			common++
		}
		depth++
	}
	return float64(common) / float64(depth)
}
