package rank

import (
	"cmp"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/hot"
)

// setting is what a question is asked in: the same for all its candidates.
type setting struct {
	at    time.Time
	head  time.Time  // of the newest commit, at most at: a repository that rested has not forgotten its last work
	files []aoa.Path // in hand, newest last, at most contextFiles (moment change: changeFiles)
	stems []string   // of files, aligned
	terms []string   // of the prompt, or the session's newest
	tags  []string
	// What the session did, empty without one.
	open     map[aoa.Path]int64
	named    map[aoa.Path]int64
	before   map[aoa.Path]int64
	commands map[aoa.Path]int64
	said     map[aoa.Path]float64
	seen     map[aoa.Path]bool
}

// remember takes over what the session did.
func (x *setting) remember(s *hot.SessionView) {
	if s == nil {
		return
	}
	x.open, x.named, x.before, x.commands = s.Order, s.Named, s.NamedBefore, s.Commands
	x.said, x.seen = s.Mentions, s.SeenEver
}

// mentioned lists the files that the session named, the most mentioned first, at most maxMentions.
func (x *setting) mentioned() []aoa.Path {
	weight := make(map[aoa.Path]float64, len(x.said))
	for f, w := range x.said {
		weight[f] = w
	}
	for _, named := range []map[aoa.Path]int64{x.named, x.before, x.commands} {
		for f := range named {
			weight[f]++
		}
	}
	files := make([]aoa.Path, 0, len(weight))
	for f := range weight {
		if _, open := x.open[f]; !open {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b aoa.Path) int {
		if x, y := weight[a], weight[b]; x != y {
			return cmp.Compare(y, x)
		}
		return cmp.Compare(a, b)
	})
	return files[:min(len(files), maxMentions)]
}

// pairedWith is the newest file of the context that shares the stem of f, "" if none does.
func (x *setting) pairedWith(f aoa.Path) aoa.Path {
	stem := aoa.Stem(f)
	for i := len(x.stems) - 1; i >= 0; i-- {
		if x.stems[i] == stem && x.files[i] != f {
			return x.files[i]
		}
	}
	return ""
}

func has(m map[aoa.Path]int64, f aoa.Path) bool {
	_, ok := m[f]
	return ok
}

// newest is the last file in hand, "" if there is none.
func (x *setting) newest() aoa.Path {
	if len(x.files) == 0 {
		return ""
	}
	return x.files[len(x.files)-1]
}
