package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Fact is one piece of evidence that a file belongs to a change. The facts before Others are about
// the file and one file of the change. Those from Sized to Data are used only for a question about
// a single file whose change is not known (see links.go).
type Fact int

// The facts.
const (
	Always Fact = iota // always 1, for a bias
	// Log odds of the share of commits: of those that changed the file of the change, how many
	// changed this file, too.
	Common
	// The same as Common, but newer commits count more; less Common, times n/(n + 8) for n commits.
	// If the result is negative and there are b > 15 common commits, it is also multiplied by 15/b,
	// because a single exception must not count for much: without this, one commit moved a pair of
	// 107 commits from .99 to .89.
	Lately
	// 20/(20 + n) if the two are a pair by name, such as a file and its test; n is the number of
	// commits since this file was created.
	Name
	Folder // 1 if both are in the same folder
	Fresh  // 2^−(commits since this file was changed / 20), times 1 minus the share of Common
	Number // ln(1 + number of commits of the file of the change)
	Small  // log odds of the share of commits with at most 3 files that changed both, less Common
	// Log odds of the share of this file in the 10 commits whose diffs of the file of the change
	// are most similar to the present one, less Common.
	Like
	// Share of the words of the present diff that occur in earlier diffs of this file, weighted by
	// their rarity among all diffs.
	Words
	// Log odds of the share of commits in which a commit of n files counts 1/(n − 1), less Common.
	Sized
	Keeps   // Fresh·n/(n + 2) for n common commits
	Stem    // share, by rarity, of the words in this file's name that occur in the other one's name
	Sibling // 1/√(files in their common folder) if it has at most 40 files
	Calls   // how many names each uses that the other defines
	Path    // 1 if one has the path of the other in its text
	// If the two share at most one commit: Calls, plus how strongly one imports the other.
	Linked
	Chance // 1 if the two share at most one commit and nothing else links them
	Prose  // 1 if this file is a document
	Data   // 1 if this file has data or settings, or is not a text
	Others // ln(1 + Σ probabilities by the other files of the change)
	// The log odds of this file's share in commits similar to the change, minus the log odds by all
	// facts above; at least 0.
	Alike
	// For a change of one file: 1 − probability/.8, at least 0. Weak evidence counts less if
	// nothing else supports it.
	Alone
	NumFacts // number of facts
)

var factNames = [NumFacts]string{"bias", "common", "lately", "name", "folder", "fresh", "commits", "small",
	"like", "words", "sized", "keeps", "stem", "sibling", "calls", "path", "linked", "chance", "prose", "data", "others",
	"alike", "alone"}

// String returns the name of the fact, as in files and reasons.
func (f Fact) String() string { return factNames[f] }

// Facts has the values of the facts of one file, or their weights.
type Facts [NumFacts]float64

// MarshalJSON writes the values under the names of the facts, without zeros.
func (f Facts) MarshalJSON() ([]byte, error) {
	out := map[string]float64{}
	for i, v := range f {
		if v != 0 {
			out[factNames[i]] = v
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the values by the names of the facts. A missing one is 0.
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

// How much commits count. The half-lives are numbers of commits of the file or folder in question,
// not days, so a file that rarely changes keeps its companions.
const (
	commonHalf  = 60.0
	latelyHalf  = 10.0
	folderHalf  = 20.0
	baseHalf    = 100.0 // in commits of the repository
	freshHalf   = 20.0  // in commits of the repository
	alikeHalf   = 1000.0
	commonPrior = 2.0  // the share in the folder counts as much as this many commits
	latelyPrior = 2.0  // the share of all commits counts as much as this many commits
	nearPrior   = 2.0  // the share in the repository counts as much as this many commits in the folder
	latelyTrust = 8.0  // number of commits of the changed file at which Lately has half its weight
	calmFrom    = 15   // number of common commits from which on a negative Lately counts less
	nameTrust   = 20.0 // number of commits at which Name has half its weight, because commits tell more than names
)

// Limits for one question. None depends on the size of the change, so that the evidence of a file
// is the same whatever other files the change has.
const (
	mostFiles   = 100 // files of a change that are examined; see examined
	mostCommits = 300 // newest commits of each file
	mostFolder  = 40  // newest commits of its folder
	mostNewest  = 10  // newest commits of the repository whose files are candidates, too
	// mostBase is the number of newest commits in the repository from which the share of a file in
	// all commits is computed.
	mostBase    = 800
	smallCommit = 3 // files of the largest commit that counts as small
)

// rate is what the commits tell about a file by itself.
type rate struct{ share, fresh float64 }

// powers returns 2^−(i/half) for i below n.
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

// partner is what one file of a change tells about another file.
type partner struct {
	file  int32 // number of the other file
	both  int32 // number of common commits
	facts Facts
	z, p  float64     // see Weights.Z, and the probability of z; 0 without weights
	like  []precedent // the precedents by the file of the change
}

// pairs yields the facts of one file of a change for every other file that is wanted. Without
// links the facts from Sized to Data are 0. The partner is valid only during the call. The caller
// holds c.mu.
func (c *Commits) pairs(w *Weights, with event.Path, present index.Sketch, links Links, s *scratch,
	wanted func(f int32) bool, yield func(*partner)) {
	self, known := c.ids[with]
	if !known {
		self = -1
	}
	folder, stem := with.Dir(), with.PairStem()
	var common, lately, near, sized float64
	commits := 0
	if known {
		commits = len(c.files[self].commits)
		for age, set := range c.newest(c.files[self].commits, mostCommits) {
			w, l := commonWeights[age], latelyWeights[age]
			part := w * focusOf(len(set))
			common, lately, sized = common+w, lately+l, sized+part
			for _, f := range set {
				of := s.touch(f)
				of.both++
				of.common += w
				of.lately += l
				of.sized += part
				if len(set) <= smallCommit {
					of.small += w
				}
			}
		}
	}
	for age, set := range c.newest(c.folders[folder], mostFolder) {
		near += folderWeights[age]
		for _, f := range set {
			s.touch(f).folder += folderWeights[age]
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
	out := partner{facts: Facts{Always: 1, Number: math.Log1p(n)}, like: before}
	x := &out.facts
	for _, f := range s.touched {
		file, of := &c.files[f], &s.sums[f]
		if f == self || file.name == "" || !wanted(f) {
			continue
		}
		base := c.base(f, s)
		inFolder := (of.folder + nearPrior*base.share) / (near + nearPrior)
		common, lately, sized := common, lately, sized
		if links != nil {
			inFolder = max(inFolder, leastInFolder)
		}
		if len(file.commits) == 0 { // commits from before the file existed tell nothing
			common, lately, sized = 0, 0, 0
		}
		share := (of.common + commonPrior*inFolder) / (common + commonPrior)
		x[Common], x[Fresh] = logOdds(share), base.fresh*(1-share)
		x[Lately] = (logOdds((of.lately+latelyPrior*share)/(lately+latelyPrior)) - x[Common]) * n / (n + latelyTrust)
		if x[Lately] < 0 && of.both > calmFrom {
			x[Lately] *= calmFrom / float64(of.both)
		}
		x[Small] = logOdds((of.small+commonPrior*share)/(common+commonPrior)) - x[Common]
		x[Name], x[Folder] = 0, truth(file.folder == folder)
		if file.stem == stem && (links == nil || !c.everywhere(stem)) {
			x[Name] = nameTrust / (float64(commits-c.before(self, f)) + nameTrust)
		}
		x[Like], x[Words] = c.like(before, f, share, x[Common]), file.said(words)
		if links != nil {
			x[Sized] = logOdds((of.sized+sizedPrior*inFolder)/(sized+sizedPrior)) - x[Common]
			x[Keeps] = x[Fresh] * float64(of.both) / (float64(of.both) + keepsHalf)
			links.facts(x, file.name, of.both)
		}
		if out.file, out.both = f, of.both; w != nil {
			out.z = w.Z(x)
			out.p = probability(out.z)
		}
		yield(&out)
	}
	s.clear()
}

// before returns the number of commits of a file from before the other one existed, because these
// tell nothing about the two. self is -1 for a file without commits. The caller holds c.mu.
func (c *Commits) before(self, f int32) int {
	if self < 0 || len(c.files[f].commits) == 0 {
		return 0
	}
	n, _ := slices.BinarySearch(c.files[self].commits, c.files[f].commits[0])
	return n
}

// base returns the share of the newest commits that changed a file, and how recently it was
// changed.
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

// alike returns, for each file, the log odds of its share in the commits that are similar to the
// change. A commit counts by the square of (files in common / files of both). The caller holds
// c.mu.
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
	for _, n := range slices.Sorted(maps.Keys(common)) { // in a fixed order, so that sums are equal to the last digit
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

// LogOdds returns the log odds of a probability. They are finite even for 0 and 1, which count as least
// and 1-least.
func LogOdds(p, least float64) float64 {
	p = min(max(p, least), 1-least)
	return math.Log(p / (1 - p))
}

func logOdds(p float64) float64 { return LogOdds(p, 1e-4) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
