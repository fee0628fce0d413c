package rank

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// listed is what the session's newest results (at most hot.KeepResults) say of a file.
type listed struct {
	alone, recent, ago, few, place, next, opened    float64
	last, turn                                      bool
	times                                           int
	content, contentAgo, contentAlone, contentPlace float64
	contentTurn                                     bool
	left, fresh                                     float64
	skipped                                         bool
	turns                                           int
}

// How much less a result counts than the one after it.
const (
	resultFade  = 0.8
	openedFade  = 0.9
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
func (x *setting) listings(c *candidate) {
	if x.listed == nil {
		x.read()
	}
	l := x.listed[c.path]
	if l == nil {
		return
	}
	v := &c.values
	v[ListedAlone], v[ListedRecent], v[ListedPlace] = unit(l.alone), l.recent, l.place
	v[ListedAgo], v[ListedFew], v[ListedNext], v[ListedOpened] = l.ago, l.few, l.next, l.opened
	v[ListedLast], v[ListedTurn] = truth(l.last), truth(l.turn)
	v[ListedOften] = unit(math.Log1p(float64(l.times)) / oftenScale)
	v[ContentAgo], v[ContentAlone] = l.contentAgo, unit(l.contentAlone)
	v[ListedLeft], v[ListedFresh], v[ListedSkipped] = l.left, l.fresh, truth(l.skipped)
	v[ListedTurns] = unit(math.Log1p(float64(l.turns)) / turnsScale)
	v[ContentRecent], v[ContentPlace], v[ContentTurn] = l.content, l.contentPlace, truth(l.contentTurn)
}

// read goes through the results, the newest first.
func (x *setting) read() {
	x.listed = map[event.Path]*listed{}
	lists, contents := 0, 0
	for _, r := range x.results {
		fresh := fading(x.clock - r.Clock)
		if !r.Listing {
			fade := math.Pow(resultFade, float64(contents))
			for i, f := range r.Files {
				l := x.entry(f)
				l.content = max(l.content, fresh)
				l.contentPlace = max(l.contentPlace, fade/math.Sqrt(float64(1+i)))
				l.contentAgo = max(l.contentAgo, fade)
				l.contentAlone = max(l.contentAlone, 1/math.Sqrt(float64(len(r.Files))))
				l.contentTurn = l.contentTurn || r.Prompt == x.prompt
			}
			contents++
			continue
		}
		x.listing(r, fresh, lists)
		lists++
	}
}

// listing takes in a list of files; ago counts the lists after it.
func (x *setting) listing(r hot.Result, fresh float64, ago int) {
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
		l.alone = max(l.alone, 1/math.Sqrt(float64(len(files))))
		l.recent = max(l.recent, fresh)
		l.ago = max(l.ago, math.Pow(agoFade, float64(ago)))
		l.few = max(l.few, math.Pow(fewFade, float64(ago))/math.Sqrt(float64(len(files))))
		l.place = max(l.place, fade/math.Sqrt(float64(1+i)))
		l.last, l.turn = l.last || ago == 0, l.turn || turn
		if len(files) > 1 {
			l.opened = max(l.opened, math.Pow(openedFade, float64(ago))*float64(opened)/float64(len(files)))
		}
		if newest >= 0 && i > newest {
			l.next = max(l.next, math.Pow(openedFade, float64(ago))/float64(i-newest))
		}
	}
}

// opensSince counts the files that were opened last after the event.
func (x *setting) opensSince(clock int64) (n int) {
	for _, c := range x.clocks {
		if c > clock {
			n++
		}
	}
	return n
}

func (x *setting) entry(f event.Path) *listed {
	l := x.listed[f]
	if l == nil {
		l = &listed{}
		x.listed[f] = l
	}
	return l
}

// sorted are the files of a map in order, for what must not depend on the order of maps.
func sorted[V any](m map[event.Path]V) []event.Path {
	return slices.SortedFunc(maps.Keys(m), func(a, b event.Path) int { return cmp.Compare(a, b) })
}
