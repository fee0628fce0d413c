package history

import "math"

// A single exception must not count for more than it is. If two files have shared many commits,
// nearly all evidence is in their counts, and the facts about the newest commits must not turn the
// answer at once. So for a pair with steadyFrom common commits, the probability of the companion
// moves by at most steadyStep with each commit of one of the two files, and by steadyRest with all
// other commits in between. No single commit can then move it by more than steadyStep +
// 2·steadyRest, which is less than .03, while a pair that has separated is given up within some
// forty commits. Without this limit one commit moved a pair of 107 in 109 commits from .99 to .79.
const (
	steadyFrom = 30
	steadyStep = 0.019
	steadyRest = 0.004
)

// sums has the sums from which the facts of a pair are computed, as of some commit.
type sums struct {
	common, lately, small float64 // over the commits of both
	// The next two weigh a commit more the fewer files it has: sized is over the commits of both
	// files, sizedOf over those of the file of the change.
	sized, sizedOf          float64
	commonOf, latelyOf      float64 // over the commits of the file of the change
	commits, both, last, at int32   // last is the newest commit of the companion, at the newest of either file
	before                  int     // number of commits of the file before the companion existed
}

// factsOf returns the facts that change with every commit, computed from the sums; x has the
// others. folder is the share in the folder.
func (s *sums) factsOf(x Facts, folder float64) Facts {
	share := (s.common + commonPrior*folder) / (s.commonOf + commonPrior)
	n := float64(s.commits)
	x[Number], x[Common] = math.Log1p(n), logOdds(share)
	x[Fresh] = math.Exp2(-float64(s.at-s.last)/freshHalf) * (1 - share)
	x[Lately] = (logOdds((s.lately+latelyPrior*share)/(s.latelyOf+latelyPrior)) - x[Common]) * n / (n + latelyTrust)
	x[Small] = logOdds((s.small+commonPrior*share)/(s.commonOf+commonPrior)) - x[Common]
	if x[Sized] != 0 || x[Keeps] != 0 {
		x[Sized] = logOdds((s.sized+sizedPrior*folder)/(s.sizedOf+sizedPrior)) - x[Common]
		x[Keeps] = keeps(x[Fresh], s.both)
	}
	if x[Name] > 0 {
		x[Name] = nameOf(max(0, int(s.commits)-s.before))
	}
	return x
}

// alone returns the probability of a companion with this z for a change of one file.
func (w *Weights) alone(z float64) float64 {
	sum := w.Bias + w.Best*z + w.Low*max(0, z-Bends[0]) + w.High*max(0, z-Bends[1])
	return probability(sum + w.Alone*AloneOf(true, z))
}

// zOf returns the z at which a companion for a change of one file has the probability p.
func (w *Weights) zOf(p float64) float64 {
	low, high := -20.0, 20.0
	for range 48 {
		if z := (low + high) / 2; w.alone(z) < p {
			low = z
		} else {
			high = z
		}
	}
	return low
}

// steady returns the fact Steady of a pair, which keeps its z from following the newest commits
// faster than the limits above allow. x has its other facts, folder the share of the companion in
// the folder. The caller holds c.mu.
func (c *Commits) steady(w *Weights, with, f int32, x *Facts, folder float64) float64 {
	a, b := c.files[with].commits, c.files[f].commits
	dropCommon, dropLately := commonWeights[1], latelyWeights[1]
	s := sums{before: c.before(with, f)}
	kept, begun := 0.0, false
	for len(a) > 0 || len(b) > 0 {
		changed, followed := len(a) > 0 && (len(b) == 0 || a[0] <= b[0]), len(b) > 0 && (len(a) == 0 || b[0] <= a[0])
		if changed {
			s.at, a = a[0], a[1:]
		}
		if followed {
			s.at, b = b[0], b[1:]
			s.last = s.at
		}
		if changed {
			s.common, s.lately, s.small = s.common*dropCommon, s.lately*dropLately, s.small*dropCommon
			part := focusOf(len(c.sets[s.at]))
			s.sized, s.sizedOf = s.sized*dropCommon, s.sizedOf*dropCommon+part
			s.commonOf, s.latelyOf = s.commonOf*dropCommon+1, s.latelyOf*dropLately+1
			if s.commits++; followed {
				s.both++
				s.common, s.lately, s.sized = s.common+1, s.lately+1, s.sized+part
				if len(c.sets[s.at]) <= smallCommit {
					s.small++
				}
			}
		}
		if s.both < steadyFrom {
			continue
		}
		facts := s.factsOf(*x, folder)
		p := w.alone(w.Z(&facts))
		if begun {
			p = min(max(p, kept-steadyStep), kept+steadyStep)
		}
		kept, begun = p, true
	}
	if !begun {
		return 0
	}
	s.at = int32(len(c.sets)) - 1
	facts := s.factsOf(*x, folder)
	p := w.alone(w.Z(&facts))
	bound := min(max(p, kept-steadyRest), kept+steadyRest)
	if bound == p {
		return 0
	}
	z := w.Z(x)
	return w.zOf(min(max(w.alone(z)+bound-p, 1e-4), 1-1e-4)) - z
}
