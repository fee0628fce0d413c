package history

import (
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// MaxFiles is the largest number of files in a commit that tells which files belong together.
const MaxFiles = 100

// Commits has the commits of a repository. The zero value has none. It is safe for concurrent use.
type Commits struct {
	Sketches *Sketches // what commits changed, looked up when a commit is added; nil if it is not known

	mu       sync.RWMutex
	ids      map[event.Path]int32
	files    []file
	sets     [][]int32          // the files of each commit in ascending order; oldest commit first
	sketched []bool             // by commit: a sketch is known
	names    []uint64           // by commit: the first 16 digits of its id, 0 if it is not known
	folders  map[string][]int32 // by folder: the commits that changed a file in it, ascending
	stems    map[string][]int32 // by event.Path.PairStem: the files
}

// file has what is known about a file.
type file struct {
	name         event.Path
	folder, stem string
	commits      []int32        // ascending
	sketches     []index.Sketch // what the newest of commits changed in it; nil if not known
	places       []index.Places // where they changed it, in the same order
	words        []uint32       // words in sketches, ascending
}

// Counts reports whether a commit counts. A commit that changed more than MaxFiles files, or that
// went through the repository for a tool (event.Commit.Sweep), does not tell which files belong
// together.
func Counts(e event.Commit) bool {
	n := len(e.Paths) + len(e.Gone)
	return n > 0 && n <= MaxFiles && !e.Sweep()
}

// Add adds a commit that is newer than all before. id is its id in hexadecimal digits, "" if it has
// none. was has the names that the files had then, nil if they are the same. A file that is listed
// twice counts once.
func (c *Commits) Add(id string, files, was []event.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if was == nil {
		was = files
	}
	name, n := commitID(id), int32(len(c.sets))
	set, diffs := make([]int32, len(files)), map[int32]index.FileSketch{}
	for i, f := range files {
		set[i] = c.number(f)
	}
	for i, k := range c.Sketches.take(name, was) {
		diffs[set[i]] = k
	}
	slices.Sort(set)
	set = slices.Compact(set)
	c.sets, c.names = append(c.sets, set), append(c.names, name)
	c.sketched = append(c.sketched, len(diffs) > 0)
	for _, i := range set {
		f := &c.files[i]
		f.commits = append(f.commits, n)
		f.sketched(diffs[i])
		if in := c.folders[f.folder]; len(in) == 0 || in[len(in)-1] != n {
			c.folders[f.folder] = append(in, n)
		}
	}
}

// sketchedOf is the number of newest commits that Sketched looks at.
const sketchedOf = 500

// Sketched reports whether most of the newest commits have sketches. Without them, the weights for
// Like and Words would find nothing and promise less.
func (c *Commits) Sketched() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	newest, n := c.sketched[max(0, len(c.sketched)-sketchedOf):], 0
	for _, known := range newest {
		if known {
			n++
		}
	}
	return 2*n > len(newest)
}

// Newest returns the ids of the newest commits that have one, the newest first, at most most.
func (c *Commits) Newest(most int) (ids []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, n := range slices.Backward(c.names) {
		if len(ids) == most {
			break
		}
		if n != 0 {
			ids = append(ids, idOf(n))
		}
	}
	return ids
}

// Rename gives a file another name. It keeps its commits. If another file had the new name before,
// that file keeps its own commits but no longer has a name.
func (c *Commits) Rename(from, to event.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from == to {
		return
	}
	i := c.number(from)
	delete(c.ids, from)
	if old, known := c.ids[to]; known {
		c.files[old].name = ""
	}
	c.ids[to] = i
	c.name(i, to)
}

// know gives numbers to files that occur in no commit.
func (c *Commits) know(files Links) {
	if len(files) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range files {
		c.number(f)
	}
}

// number returns the number of a file. The caller holds c.mu for writing.
func (c *Commits) number(p event.Path) int32 {
	if c.ids == nil {
		c.ids, c.folders, c.stems = map[event.Path]int32{}, map[string][]int32{}, map[string][]int32{}
	}
	i, known := c.ids[p]
	if !known {
		i = int32(len(c.files))
		c.ids[p], c.files = i, append(c.files, file{})
		c.name(i, p)
	}
	return i
}

func (c *Commits) name(i int32, p event.Path) {
	f := &c.files[i]
	f.name, f.folder, f.stem = p, p.Dir(), p.PairStem()
	c.stems[f.stem] = append(c.stems[f.stem], i)
}

// Len returns the number of commits.
func (c *Commits) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.sets)
}

// RecentCommits is the number of newest commits of a file that are counted separately.
const RecentCommits = 50

// Count returns the number of commits that changed with, and how many of them changed f. All
// numbers of common commits that people and agents see are counted here: over all commits that were
// added, even those that some rule for finding files ignores.
func (c *Commits) Count(with, f event.Path) event.Together {
	c.mu.RLock()
	defer c.mu.RUnlock()
	n := event.Together{With: with}
	i, known := c.ids[with]
	if !known {
		return n
	}
	n.Of = len(c.files[i].commits)
	n.OfRecent = min(n.Of, RecentCommits)
	if with == f {
		return n
	}
	for age := range c.common(with, f, n.Of) {
		n.Both++
		if age < RecentCommits {
			n.Recent++
		}
	}
	return n
}

// common yields the newest common commits of two files, out of the newest most of with: their age in
// commits of with, and their number. The caller holds c.mu.
func (c *Commits) common(with, f event.Path, most int) iter.Seq2[int, int32] {
	return func(yield func(int, int32) bool) {
		i, known := c.ids[with]
		j, also := c.ids[f]
		if !known || !also {
			return
		}
		commits := c.files[i].commits
		for age := range min(len(commits), most) {
			n := commits[len(commits)-1-age]
			if _, both := slices.BinarySearch(c.sets[n], j); both && !yield(age, n) {
				return
			}
		}
	}
}

// Support returns how much the common commits of two files are about these two: the sum of 1/(n − 1)
// over the commits, of n files each, of the newest 300 of with. It is 1 for a commit that changed only
// these two, and .02 for one that changed fifty files.
func (c *Commits) Support(with, f event.Path) (sum float64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, n := range c.common(with, f, mostCommits) {
		sum += focusOf(len(c.sets[n]))
	}
	return sum
}

// shortID is the number of digits of a commit's id that are shown. git finds a commit by them in
// repositories of some hundred thousand objects.
const shortID = 9

// Together returns the ids of the newest commits that changed both files, as far as they are known,
// at most most.
func (c *Commits) Together(a, b event.Path, most int) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := []string{}
	for _, n := range c.common(a, b, math.MaxInt) {
		if len(out) == most {
			break
		}
		if c.names[n] != 0 {
			out = append(out, idOf(c.names[n])[:shortID])
		}
	}
	return out
}

// Without looks at those of the repository's newest 800 commits that did not change with. It
// returns their number and how many of them changed f. A file that changes as often without another
// one as with it does not belong to it.
func (c *Commits) Without(with, f event.Path) (n, of int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	from := int32(max(0, len(c.sets)-mostBase))
	of = len(c.sets) - int(from)
	i, known := c.ids[with]
	j, also := c.ids[f]
	if known {
		at := c.files[i].commits
		first, _ := slices.BinarySearch(at, from)
		of -= len(at) - first
	}
	if !also {
		return 0, of
	}
	for _, commit := range slices.Backward(c.files[j].commits) {
		if commit < from {
			break
		}
		if _, both := slices.BinarySearch(c.sets[commit], i); !known || !both {
			n++
		}
	}
	return n, of
}

// newest yields the files of the newest commits of a file or folder, at most most, with their age in
// these commits.
func (c *Commits) newest(commits []int32, most int) iter.Seq2[int, []int32] {
	return func(yield func(int, []int32) bool) {
		for age := range min(len(commits), most) {
			if !yield(age, c.sets[commits[len(commits)-1-age]]) {
				return
			}
		}
	}
}
