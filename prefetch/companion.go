package prefetch

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Archive is what is known about a change beside its ranking. A nil function knows nothing.
type Archive struct {
	// Together counts the commits that touched both files, and those that touched a.
	Together func(ctx context.Context, a, b event.Path) (both, of int, err error)
	// Changes returns the newest commits of a file, the newest first, at most most.
	Changes func(ctx context.Context, f event.Path, most int) ([]event.ChangeSet, error)
	// Edits returns the names in the lines that a change of these files removes and adds. What cannot be read in time is
	// left out.
	Edits func(ctx context.Context, files []event.Path) map[event.Path][]index.Edit
	// Users returns the files that have a name, none if there are more than most.
	Users func(name string, most int) []index.User
}

// Bounds of one look at a change.
const (
	changeFiles   = 16  // files of the change that are looked at, the last ones: as many as the ranking reads
	changeCommits = 500 // commits of each, the newest
	newestCommits = 10  // commits of each that are recent
	mostStreak    = 8   // commits in a row that count
	mostUsers     = 64  // files of a name; one that more have says nothing
	fewUsers      = 12  // files of a name that makes a file like the change
	fewDefiners   = 6   // files that define a name that the change uses
)

// companions are the files that belong to a change by its commits and by its lines.
type companions struct {
	files   []event.Path // of the change
	pairs   []pair       // of those that commits have changed
	similar map[event.Path]float64
	all     float64 // what similar is a share of
	names   map[event.Path]*named
	touched float64 // sum over all files
}

// pair is a file of the change with what its commits changed.
type pair struct {
	with   event.Path
	of     int // commits
	shared map[event.Path]*shared
}

// shared are the commits that a file shares with one of the change.
type shared struct {
	both   int
	newest int // of the newestCommits
	streak int // of the newest, without exception
}

// named is what the lines of a change say about a file outside of it.
type named struct {
	removed float64 // it alone uses a name that the change removes from where it was defined: 1; of n files: 1/n
	uses    Use     // that name
	gone    float64 // Σ 1/users over other names that the change removes
	defined float64 // Σ 1/users over names that it uses and whose definition the change edits
	touched float64 // Σ 1/users over names that it has and the change edits
	calls   float64 // Σ 1/definers over names that it defines and the change adds uses of
	place   float64 // 1/√rank by touched
}

// Use is a name that a file still uses although a change removes it.
type Use struct {
	Name string
	In   event.Path // where the change removes it
}

// companionsOf looks at the last files of a change.
func (a Archive) companionsOf(ctx context.Context, change []event.Path) (*companions, error) {
	c := &companions{files: change, similar: map[event.Path]float64{}, names: map[event.Path]*named{}}
	last := change[max(0, len(change)-changeFiles):]
	if a.Changes != nil {
		if err := c.history(ctx, a, last); err != nil {
			return nil, err
		}
	}
	if a.Edits != nil && a.Users != nil {
		c.lines(a, last, a.Edits(ctx, last))
	}
	return c, nil
}

// history reads the commits of the files.
func (c *companions) history(ctx context.Context, a Archive, files []event.Path) error {
	type match struct {
		event.ChangeSet
		n int // files of the change in it
	}
	var order []int64
	commits := map[int64]*match{}
	for _, with := range files {
		found, err := a.Changes(ctx, with, changeCommits)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue // a new file says nothing about what is missing
		}
		p := pair{with: with, of: len(found), shared: map[event.Path]*shared{}}
		for age, commit := range found {
			p.add(age, commit)
			if commits[commit.ID] == nil {
				commits[commit.ID] = &match{ChangeSet: commit}
				order = append(order, commit.ID)
			}
			commits[commit.ID].n++
		}
		c.pairs = append(c.pairs, p)
	}
	var newest time.Time
	for _, m := range commits {
		if m.Time.After(newest) {
			newest = m.Time
		}
	}
	for _, id := range order { // a fixed order: sums are the same to the digit
		m := commits[id]
		union := float64(len(m.Files) + len(c.pairs) - m.n)
		alike := float64(m.n) / union
		weight := alike * alike * math.Exp2(-newest.Sub(m.Time).Hours()/yearHours)
		c.all += weight
		for _, f := range m.Files {
			c.similar[f] += weight
		}
	}
	return nil
}

// yearHours is the half-life of a commit's likeness to a change.
const yearHours = 365 * 24

// add counts a commit, the newer ones before.
func (p *pair) add(age int, commit event.ChangeSet) {
	for _, f := range commit.Files {
		if f == p.with {
			continue
		}
		s := p.shared[f]
		if s == nil {
			s = &shared{}
			p.shared[f] = s
		}
		if s.streak == age && age < mostStreak {
			s.streak++
		}
		if age < newestCommits {
			s.newest++
		}
		s.both++
	}
}

// lines reads the names that the change edits.
func (c *companions) lines(a Archive, files []event.Path, edits map[event.Path][]index.Edit) {
	inside, added := map[event.Path]bool{}, map[string]bool{}
	for _, f := range c.files {
		inside[f] = true
	}
	for _, f := range files {
		for _, e := range edits[f] {
			added[e.Name] = added[e.Name] || e.Added
		}
	}
	var order []event.Path
	for _, f := range files {
		for _, e := range edits[f] {
			users, definers := a.outside(e.Name, inside)
			for _, u := range users {
				n := c.names[u.Path]
				if n == nil {
					n = &named{}
					c.names[u.Path], order = n, append(order, u.Path)
				}
				n.take(f, e, u, len(users), definers, added[e.Name])
			}
		}
	}
	slices.SortStableFunc(order, func(f, g event.Path) int { return cmp.Compare(c.names[g].touched, c.names[f].touched) })
	place := 0
	for i, f := range order {
		n := c.names[f]
		c.touched += n.touched
		if i == 0 || n.touched < c.names[order[i-1]].touched {
			place = i + 1
		}
		n.place = 1 / math.Sqrt(float64(place))
	}
}

// outside are the users of a name that are not in the change, and how many of these define it.
func (a Archive) outside(name string, inside map[event.Path]bool) (users []index.User, definers int) {
	for _, u := range a.Users(name, mostUsers) {
		if inside[u.Path] {
			continue
		}
		users = append(users, u)
		if u.Defines {
			definers++
		}
	}
	return users, definers
}

// take adds an edit of the file in to what is known of a user of its name. moved: the change adds the name somewhere.
func (n *named) take(in event.Path, e index.Edit, u index.User, users, definers int, moved bool) {
	w := 1 / float64(users)
	switch {
	case !e.Gone || moved:
	case e.Defined && definers == 0:
		if w > n.removed {
			n.removed, n.uses = w, Use{e.Text, in}
		}
	default:
		n.gone += w
	}
	if e.Removed && e.Defined && e.Defines && !u.Defines && definers <= 1 {
		n.defined += w
	}
	if users <= fewUsers {
		n.touched += w
	}
	if e.Added && u.Defines && definers <= fewDefiners {
		n.calls += 1 / float64(definers)
	}
}
