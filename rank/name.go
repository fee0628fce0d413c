package rank

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// How well a name matches what somebody typed, better first. A better match beats any score: who types knows
// more than who guesses. Scores order what matches equally well.
const (
	matchExact   = iota // the path or the file name itself
	matchPrefix         // either begins with it
	matchName           // the file name contains it
	matchPath           // the path contains it
	matchLetters        // its letters stand in the file name in that order
	matchSlip           // the file name, or its beginning, is a slip or two away
	matchSpread         // the letters stand in the path in that order, over several names
	matchNone
)

// Bounds of one completion.
const (
	maxTyped   = 256 // bytes of the query that count
	maxWeighed = 512 // files that match, whose use is read
	openScore  = 0.4 // a file that is open in the session, which the ranking leaves out: as likely as a hint may be
	oneSlip    = 3   // letters from which one slip is forgiven
	twoSlips   = 5   // … two: letters swapped are two
)

// Matched is a file that matches what was typed.
type Matched struct {
	File  event.Path
	Class int     // how well: lower is better
	Score float64 // as given to the Finder
}

// Finder finds the best n of the files whose names match what somebody typed of them. Better classes come first,
// in a class the higher score (nil: all alike), then the shorter name, then the path.
type Finder func(files []event.Path, score map[event.Path]float64, n int) []Matched

// Like finds as people search: case does not count, words apart by spaces must all match. Where no file name has
// even the letters, slips of the finger are forgiven: one from three letters on, two from five. With nothing
// typed all files match alike. It costs about 0.2 µs per file, 0.7 µs where it looks for slips.
func Like(typed string) Finder {
	words := typedWords(typed)
	return func(files []event.Path, score map[event.Path]float64, n int) []Matched {
		out := best(files, score, n, func(f event.Path) int { return matchAll(words, f, strictly) })
		if len(out) == 0 || out[0].Class >= matchSlip {
			out = best(files, score, n, func(f event.Path) int { return matchAll(words, f, leniently) })
		}
		return out
	}
}

// Begin finds as a shell completes: paths that begin with what was typed, to the letter.
func Begin(typed string) Finder {
	return func(files []event.Path, score map[event.Path]float64, n int) []Matched {
		return best(files, score, n, func(f event.Path) int {
			if strings.HasPrefix(string(f), typed) {
				return matchPrefix
			}
			return matchNone
		})
	}
}

// best keeps the best n as it goes: most files of a large tree match a single letter, and sorting them all would
// cost more than the matching.
func best(files []event.Path, score map[event.Path]float64, n int, class func(event.Path) int) []Matched {
	n = max(n, 1)
	var out []Matched
	full := false // then out[n-1] is the worst that is kept
	for _, f := range files {
		m := Matched{File: f, Class: class(f)}
		if m.Class == matchNone {
			continue
		}
		m.Score = score[f]
		if full && better(out[n-1], m) < 0 {
			continue
		}
		if out = append(out, m); len(out) >= 2*n {
			slices.SortFunc(out, better)
			out, full = out[:n], true
		}
	}
	slices.SortFunc(out, better)
	return out[:min(len(out), n)]
}

func better(a, b Matched) int {
	return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(b.Score, a.Score),
		cmp.Compare(len(a.File.Base()), len(b.File.Base())), cmp.Compare(a.File, b.File))
}

// typedWords are the words of a query as names are compared: lower case, forward slashes, without what people
// type before a path.
func typedWords(typed string) []string {
	if len(typed) > maxTyped {
		typed = strings.ToValidUTF8(typed[:maxTyped], "")
	}
	typed = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(typed), `\`, "/"))
	typed = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(typed, "@"), "./"), "/")
	return strings.Fields(typed)
}

// matchAll is the worst class among the words.
func matchAll(words []string, f event.Path, match func(word, name, base string) int) int {
	name := strings.ToLower(string(f))
	base := name[strings.LastIndexByte(name, '/')+1:]
	worst := matchExact
	for _, w := range words {
		if worst = max(worst, match(w, name, base)); worst == matchNone {
			return matchNone
		}
	}
	return worst
}

func strictly(word, name, base string) int {
	switch {
	case word == name || word == base:
		return matchExact
	case strings.HasPrefix(name, word) || strings.HasPrefix(base, word):
		return matchPrefix
	case strings.Contains(base, word):
		return matchName
	case strings.Contains(name, word):
		return matchPath
	case fuzzy.Match(word, base):
		return matchLetters
	case fuzzy.Match(word, name):
		return matchSpread
	}
	return matchNone
}

// leniently compares as many folders as were typed: with the whole end of the path, without its extension, and
// with its beginning, for names are typed from their beginning.
func leniently(word, name, base string) int {
	slips := 0
	switch {
	case len(word) >= twoSlips:
		slips = 2
	case len(word) >= oneSlip:
		slips = 1
	default:
		return strictly(word, name, base)
	}
	end := lastParts(name, strings.Count(word, "/")+1)
	stem := strings.TrimSuffix(end, path.Ext(end))
	if apart(word, end, slips) || apart(word, stem, slips) || apart(word, end[:min(len(end), len(word))], slips) {
		return matchSlip
	}
	return strictly(word, name, base)
}

// apart reports whether two words are at most so many insertions, deletions and replacements apart. Lengths and
// letters rule nearly all pairs out before the distance is computed.
func apart(a, b string, slips int) bool {
	if len(a)-len(b) > slips || len(b)-len(a) > slips || bits.OnesCount64(letters(a)^letters(b)) > 2*slips {
		return false
	}
	return fuzzy.LevenshteinDistance(a, b) <= slips
}

// letters is the set of a word's bytes, folded into 64 bits.
func letters(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

func lastParts(name string, n int) string {
	at := len(name)
	for ; n > 0 && at >= 0; n-- {
		at = strings.LastIndexByte(name[:at], '/')
	}
	return name[at+1:]
}

// Complete finds files by what somebody typed of their names, at most limit: better matches first, and equally
// good ones by the ranking of the moment, then by how often they are used. q is the question that the ranking
// answers. Two round trips beside those of the ranking; it looks at every name of the tree, and at the use of
// at most 512 files that match.
func (r *Ranker) Complete(ctx context.Context, q event.Query, find Finder, limit int) ([]event.Path, error) {
	likely, err := r.likely(ctx, q)
	if err != nil {
		return nil, err
	}
	named := find(r.tree().All(), likely, maxWeighed)
	members := make([]string, len(named))
	for i, n := range named {
		members[i] = string(n.File)
	}
	v := r.store.View(q.At)
	opens, commits := v.Of(hot.Frequency, members), v.Of(hot.Churn, members)
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read the use of files: %w", err)
	}
	used := make(map[event.Path]float64, len(named))
	for i, n := range named {
		used[n.File] = opens.Value[i] + commits.Value[i]
	}
	slices.SortStableFunc(named, func(a, b Matched) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(b.Score, a.Score), cmp.Compare(used[b.File], used[a.File]))
	})
	out := make([]event.Path, min(limit, len(named)))
	for i := range out {
		out[i] = named[i].File
	}
	return out, nil
}

// likely is the ranking as a map, with the files that are open in the session.
func (r *Ranker) likely(ctx context.Context, q event.Query) (map[event.Path]float64, error) {
	k, err := r.Score(ctx, q)
	if err != nil {
		return nil, err
	}
	defer k.Done()
	out := make(map[event.Path]float64, len(k.Files))
	if q.Session != "" {
		for f := range r.sessions.Get(q.Session, q.At).Opened {
			out[f] = openScore
		}
	}
	for _, f := range k.Files {
		out[f.File] = f.Score
	}
	return out, nil
}
