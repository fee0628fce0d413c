package rank

import (
	"math"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// listed is what the session's newest results (at most hot.KeepResults) say of a file.
type listed struct {
	recent, ago, few, place float64
	last, turn              bool
	times                   int
	content, contentAlone   float64
	left, fresh             float64
	skipped                 bool
	turns                   int
}

// How much less a result counts than the one after it.
const (
	resultFade  = 0.8
	agoFade     = 0.7
	fewFade     = 0.85
	eventHalf   = 8.0 // events in which a mention halves
	turnsScale  = 2.0 // ln(1+listings since the prompt) that makes ListedTurns 1
	skipLists   = 3   // a file passed over in an older list is forgotten
	oftenScale  = 3.0 // ln(1+listings) that makes ListedOften 1
	folderFiles = 10  // files opened last whose folders count
	folderFade  = 0.8
)

// fading halves every eventHalf events.
func fading(events int64) float64 { return unit(math.Exp2(-float64(max(events, 0)) / eventHalf)) }

// listings fills in the signals of the results that named the file.
func (x *queryContext) listings(c *candidate) {
	if x.listed == nil {
		x.read()
	}
	l := x.listed[c.path]
	if l == nil {
		return
	}
	v := &c.values
	v[ListedRecent], v[ListedPlace], v[ListedAgo], v[ListedFew] = l.recent, l.place, l.ago, l.few
	v[ListedLast], v[ListedTurn] = truth(l.last), truth(l.turn)
	v[ListedOften] = unit(math.Log1p(float64(l.times)) / oftenScale)
	v[ContentRecent], v[ContentAlone] = l.content, unit(l.contentAlone)
	v[ListedLeft], v[ListedFresh], v[ListedSkipped] = l.left, l.fresh, truth(l.skipped)
	v[ListedTurns] = unit(math.Log1p(float64(l.turns)) / turnsScale)
}

// read goes through the results, the newest first.
func (x *queryContext) read() {
	x.listed = map[event.Path]*listed{}
	lists := 0
	for _, r := range x.results {
		fresh := fading(x.clock - r.Clock)
		if !r.Listing {
			for _, f := range r.Files {
				l := x.entry(f)
				l.content = max(l.content, fresh)
				l.contentAlone = max(l.contentAlone, 1/math.Sqrt(float64(len(r.Files))))
			}
			continue
		}
		x.listing(r, fresh, lists)
		lists++
	}
}

// listing takes in a list of files; ago counts the lists after it.
func (x *queryContext) listing(r hot.Result, fresh float64, ago int) {
	files, turn := r.Files, r.Prompt == x.prompt
	opened, newest := 0, -1
	for i, f := range files {
		if has(x.open, f) {
			opened++
		}
		if len(x.latest) > 0 && f == x.latest[0] {
			newest = i
		}
	}
	fade, since := math.Pow(resultFade, float64(ago)), 1/float64(1+x.opensSince(r.Clock))
	for i, f := range files {
		l := x.entry(f)
		l.left = max(l.left, math.Pow(fewFade, float64(ago))/math.Sqrt(float64(max(1, len(files)-opened))))
		l.fresh = max(l.fresh, since)
		if turn {
			l.turns++
		}
		l.skipped = l.skipped || i < newest && ago < skipLists
		l.times++
		l.recent = max(l.recent, fresh)
		l.ago = max(l.ago, math.Pow(agoFade, float64(ago)))
		l.few = max(l.few, math.Pow(fewFade, float64(ago))/math.Sqrt(float64(len(files))))
		l.place = max(l.place, fade/math.Sqrt(float64(1+i)))
		l.last, l.turn = l.last || ago == 0, l.turn || turn
	}
}

// opensSince counts the files that were opened last after the event.
func (x *queryContext) opensSince(clock int64) (n int) {
	for _, c := range x.clocks {
		if c > clock {
			n++
		}
	}
	return n
}

func (x *queryContext) entry(f event.Path) *listed {
	l := x.listed[f]
	if l == nil {
		l = &listed{}
		x.listed[f] = l
	}
	return l
}
