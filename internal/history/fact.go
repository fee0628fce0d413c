package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Fact is one of the numbers that speak for a file beside a change. Those before Others are about
// one file of the change, those from Sized on of a question about one file of which no change is
// known (see links.go).
type Fact int

// The facts.
const (
	Always   Fact = iota // 1
	Common               // log odds of the share of the commits of a file of the change that changed this one, too
	Lately               // (log odds of that share where newer commits count more, less Common)·n/(n + 8) of n commits
	Name                 // 20/(20 + n): the two are a pair by name, as a file and its test, of n commits since this one is there
	Folder               // 1: they lie in the same folder
	Fresh                // 2^−(commits since this file was changed / 20), times 1 less the share of Common
	Number               // ln(1 + commits of the file of the change)
	Small                // log odds of the share of commits of at most 3 files that changed both, less Common
	Like                 // log odds of the share of the 10 commits whose diffs of the file of the change are most like the present one, less Common
	Words                // share, by rarity among all diffs, of the words of the present diff that diffs of this file had
	Sized                // log odds of that share where a commit of n files counts 1/(n − 1), less Common
	Keeps                // Fresh·n/(n + 2) of n common commits
	Stem                 // share, by rarity, of the words of this one's name that the name of the other has
	Sibling              // 1/√(files of the folder) if both are in it, and it has at most 40
	Calls                // how much each uses names that the other defines
	Path                 // 1: one has the path of the other in its text
	Linked               // of two that share at most one commit: Calls, and how much one imports the other
	Chance               // 1: the two share at most one commit, and nothing else links them
	Prose                // 1: this one is a document
	Data                 // 1: this file has data or settings, or is not a text
	Others               // ln(1 + Σ probabilities by the other files of the change)
	Alike                // log odds of the share of the commits like this change that changed this file, above those so far; ≥ 0
	Alone                // of a change of one file: 1 less its probability/.8, ≥ 0: weak evidence counts less beside several
	Steady               // what keeps z from following the newest commits of a pair with many common ones; its weight in z is 1
	NumFacts             // their number
)

var factNames = [NumFacts]string{"bias", "common", "lately", "name", "folder", "fresh", "commits", "small", "like", "words",
	"sized", "keeps", "stem", "sibling", "calls", "path", "linked", "chance", "prose", "data", "others",
	"alike", "alone", "steady"}

// String is the name of the fact in files and in reasons.
func (f Fact) String() string { return factNames[f] }

// Facts are the numbers of one file, or their weights.
type Facts [NumFacts]float64

// MarshalJSON writes the numbers by the names of the facts, without zeros.
func (f Facts) MarshalJSON() ([]byte, error) {
	out := map[string]float64{}
	for i, v := range f {
		if v != 0 {
			out[factNames[i]] = v
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the numbers by the names of the facts. One that is missing is 0.
func (f *Facts) UnmarshalJSON(data []byte) error {
	var in map[string]float64
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	for name, v := range in {
		i := slices.Index(factNames[:], name)
		if i < 0 {
			return fmt.Errorf("there is no fact %q", name)
		}
		f[i] = v
	}
	return nil
}

// How much each thing counts. The half-lives are numbers of commits of the file or folder in
// question, not days, so a file that does not change keeps its companions.
const (
	commonHalf  = 60.0
	latelyHalf  = 10.0
	folderHalf  = 20.0
	baseHalf    = 100.0 // of all commits of the repository
	freshHalf   = 20.0  // the same
	alikeHalf   = 1000.0
	commonPrior = 2.0  // the share in the folder counts like this many commits
	latelyPrior = 2.0  // the share of all commits counts like this many commits
	nearPrior   = 2.0  // the share in the repository counts like this many commits in the folder
	latelyTrust = 8.0  // commits of the file of the change from which Lately counts half
	nameTrust   = 20.0 // commits from which Name counts half: what happened says more than a name
)

// Bounds of one question. None depends on the size of the change, or a file would say something
// else beside others.
const (
	mostFiles   = 100 // files of a change that are looked at, the last ones
	mostCommits = 300 // commits of each, the newest
	mostFolder  = 40  // commits of its folder, the newest
	mostNewest  = 10  // commits of the repository whose files are candidates, too
	// the newest commits of the repository from which the share of a file in all commits is taken
	mostBase    = 800
	smallCommit = 3 // files
)

// scratch is the memory of a question, by the numbers of files.
type scratch struct {
	common, lately, small, folder, sized []float64
	both                                 []int32 // common commits
	seen                                 []bool
	touched                              []int32
	base                                 []rate
	based                                []int32 // files whose base is known
}

// rate is what the commits say of a file by itself.
type rate struct{ share, fresh float64 }

var scratches = sync.Pool{New: func() any { return &scratch{} }}

func (s *scratch) grow(n int) {
	if len(s.common) < n {
		n += n/4 + 64
		*s = scratch{common: make([]float64, n), lately: make([]float64, n), small: make([]float64, n),
			folder: make([]float64, n), sized: make([]float64, n), both: make([]int32, n), seen: make([]bool, n), base: make([]rate, n)}
	}
}

func (s *scratch) touch(f int32) {
	if !s.seen[f] {
		s.seen[f], s.touched = true, append(s.touched, f)
	}
}

// clear makes what was touched zero again.
func (s *scratch) clear() {
	for _, f := range s.touched {
		s.common[f], s.lately[f], s.small[f], s.folder[f], s.sized[f], s.both[f], s.seen[f] = 0, 0, 0, 0, 0, 0, false
	}
	s.touched = s.touched[:0]
}

// powers are 2^−(i/half).
func powers(half float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp2(-float64(i) / half)
	}
	return out
}

var (
	commonWeights = powers(commonHalf, mostCommits)
	latelyWeights = powers(latelyHalf, mostCommits)
	folderWeights = powers(folderHalf, mostFolder)
	baseWeights   = powers(baseHalf, mostBase)
)

// pairs calls yield with what one file of a change says of every other file that exists. Without
// weights the fact Steady is 0; without links those from Sized to Data are. c.mu is held.
func (c *Commits) pairs(w *Weights, with event.Path, present index.Sketch, links Links, s *scratch, has func(event.Path) bool,
	yield func(f int32, both int, x *Facts, like []precedent)) {
	self, known := c.ids[with]
	if !known {
		self = -1
	}
	folder, stem := with.Dir(), with.PairStem()
	var common, lately, near, sized float64
	commits := 0
	if known {
		commits = len(c.files[self].commits)
		for age, set := range c.newest(self, mostCommits) {
			w, l := commonWeights[age], latelyWeights[age]
			part := w * focusOf(len(set))
			common, lately, sized = common+w, lately+l, sized+part
			for _, f := range set {
				s.touch(f)
				s.both[f]++
				s.common[f] += w
				s.lately[f] += l
				s.sized[f] += part
				if len(set) <= smallCommit {
					s.small[f] += w
				}
			}
		}
	}
	for age, set := range c.newestOf(c.folders[folder], mostFolder) {
		near += folderWeights[age]
		for _, f := range set {
			s.touch(f)
			s.folder[f] += folderWeights[age]
		}
	}
	for _, f := range c.stems[stem] {
		s.touch(f)
	}
	for _, set := range c.sets[max(0, len(c.sets)-mostNewest):] {
		for _, f := range set {
			s.touch(f)
		}
	}
	for p := range links {
		s.touch(c.ids[p])
	}
	var before []precedent
	if known {
		before = c.precedents(self, present)
	}
	words := c.Sketches.rareWords(present)
	n := float64(commits)
	x := Facts{Always: 1, Number: math.Log1p(n)}
	for _, f := range s.touched {
		file := &c.files[f]
		if f == self || file.name == "" || !has(file.name) {
			continue
		}
		base := c.base(f, s)
		inFolder := (s.folder[f] + nearPrior*base.share) / (near + nearPrior)
		common, lately, sized := common, lately, sized
		if links != nil {
			inFolder = max(inFolder, leastInFolder)
		}
		if len(file.commits) == 0 { // commits before it was there say nothing
			common, lately, sized = 0, 0, 0
		}
		share := (s.common[f] + commonPrior*inFolder) / (common + commonPrior)
		x[Common], x[Fresh] = logOdds(share), base.fresh*(1-share)
		x[Lately] = (logOdds((s.lately[f]+latelyPrior*share)/(lately+latelyPrior)) - x[Common]) * n / (n + latelyTrust)
		x[Small] = logOdds((s.small[f]+commonPrior*share)/(common+commonPrior)) - x[Common]
		x[Name], x[Folder] = 0, truth(file.folder == folder)
		if file.stem == stem && (links == nil || !c.everywhere(stem)) {
			x[Name] = nameOf(commits - c.before(self, f))
		}
		x[Like], x[Words] = c.like(before, f, share, x[Common]), file.said(words)
		if links != nil {
			x[Sized] = logOdds((s.sized[f]+sizedPrior*inFolder)/(sized+sizedPrior)) - x[Common]
			x[Keeps] = keeps(x[Fresh], s.both[f])
			links.facts(&x, file.name, s.both[f])
		}
		if x[Steady] = 0; w != nil && s.both[f] >= steadyFrom {
			x[Steady] = c.steady(w, self, f, &x, inFolder)
		}
		yield(f, int(s.both[f]), &x, before)
	}
	s.clear()
}

// nameOf returns the fact Name of a pair by name, after that many commits that could have changed
// both.
func nameOf(commits int) float64 { return nameTrust / (float64(commits) + nameTrust) }

// before counts the commits of a file before another one was there: those say nothing about the
// two. self is -1 for a file without commits. c.mu is held.
func (c *Commits) before(self, f int32) int {
	if self < 0 || len(c.files[f].commits) == 0 {
		return 0
	}
	n, _ := slices.BinarySearch(c.files[self].commits, c.files[f].commits[0])
	return n
}

// base is the share of the newest commits that changed a file, and how lately it was changed.
func (c *Commits) base(f int32, s *scratch) rate {
	if s.base[f].share > 0 {
		return s.base[f]
	}
	n := int32(len(c.sets))
	sum, since := 0.0, math.Inf(1)
	for i := len(c.files[f].commits) - 1; i >= 0; i-- {
		age := n - 1 - c.files[f].commits[i]
		since = min(since, float64(age))
		if age >= mostBase {
			break
		}
		sum += baseWeights[age]
	}
	s.base[f] = rate{(sum + .02) / (baseHalf/math.Ln2 + 1), math.Exp2(-since / freshHalf)}
	s.based = append(s.based, f)
	return s.base[f]
}

// alike is, for each file, the log odds of the share of the commits like the change that changed
// it. A commit counts by the square of (files in common / files of both). c.mu is held.
func (c *Commits) alike(change []event.Path) map[int32]float64 {
	if len(change) < 2 {
		return nil
	}
	common, known := map[int32]int{}, 0
	for _, g := range change {
		i, ok := c.ids[g]
		if !ok || len(c.files[i].commits) == 0 {
			continue
		}
		known++
		for _, n := range c.files[i].commits[max(0, len(c.files[i].commits)-mostCommits):] {
			common[n]++
		}
	}
	out, all := map[int32]float64{}, 0.0
	for _, n := range slices.Sorted(maps.Keys(common)) { // a fixed order: sums are the same to the digit
		set := c.sets[n]
		share := float64(common[n]) / float64(len(set)+known-common[n])
		w := share * share * math.Exp2(-float64(int32(len(c.sets))-1-n)/alikeHalf)
		all += w
		for _, f := range set {
			out[f] += w
		}
	}
	for f, sum := range out {
		out[f] = logOdds(.98 * (sum + .02) / (all + .06))
	}
	return out
}

func logOdds(p float64) float64 {
	p = min(max(p, 1e-4), 1-1e-4)
	return math.Log(p / (1 - p))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
