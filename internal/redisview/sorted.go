package redisview

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
)

// score finds a member of a set.
func (v *value) score(name string) (float64, bool) {
	i := slices.IndexFunc(v.members, func(m api.Score) bool { return m.Name == name })
	if i < 0 {
		return 0, false
	}
	return v.members[i].Score, true
}

func zscore(c *call) error {
	v, err := c.value(0, sortedSet)
	if err == nil {
		c.scoreOf(v, c.args[1])
	}
	return err
}

func zmscore(c *call) error {
	v, err := c.value(0, sortedSet)
	if err == nil {
		c.WriteLen(len(c.args) - 1)
		for _, name := range c.args[1:] {
			c.scoreOf(v, name)
		}
	}
	return err
}

// scoreOf answers the score of one member.
func (c *call) scoreOf(v value, name string) {
	if score, has := v.score(name); has {
		c.WriteFloat(score)
	} else {
		c.WriteNull()
	}
}

// rank answers the place of a member, from 0: the lowest score, or in reverse the highest.
func (c *call) rank(reverse bool) error {
	v, err := c.value(0, sortedSet)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(v.members, func(m api.Score) bool { return m.Name == c.args[1] })
	switch {
	case i < 0:
		c.WriteNull()
	case reverse:
		c.WriteInt(len(v.members) - 1 - i)
	default:
		c.WriteInt(i)
	}
	return nil
}

func zcount(c *call) error {
	v, err := c.value(0, sortedSet)
	if err != nil {
		return err
	}
	within, err := between(c.args[1], c.args[2])
	if err == nil {
		c.WriteInt(len(within.of(v.members)))
	}
	return err
}

// span is what a command asks of a sorted set.
type span struct {
	byScore, reverse, scores bool
	limit                    []int // offset and number; nil: all
}

// options reads what follows the range.
func (s *span) options(rest []string) (err error) {
	for len(rest) > 0 {
		used := 1
		switch option := strings.ToUpper(rest[0]); {
		case option == "WITHSCORES":
			s.scores = true
		case option == "BYSCORE":
			s.byScore = true
		case option == "REV":
			s.reverse = true
		case option == "LIMIT" && len(rest) >= 3:
			s.limit, used = make([]int, 2), 3
			for i := range s.limit {
				if s.limit[i], err = integer(rest[1+i]); err != nil {
					return err
				}
			}
		default:
			return syntax
		}
		rest = rest[used:]
	}
	if s.limit != nil && !s.byScore {
		return refusal("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	}
	return nil
}

// ranged is a command that answers a part of a sorted set.
func ranged(s span) func(*call) error {
	return func(c *call) error {
		s := s
		v, err := c.value(0, sortedSet)
		if err == nil {
			err = s.options(c.args[3:])
		}
		if err != nil {
			return err
		}
		members, err := s.of(v.members, c.args[1], c.args[2])
		if err == nil {
			c.writeMembers(members, s.scores)
		}
		return err
	}
}

// of selects the members from first to last, which are places or scores.
func (s *span) of(members []api.Score, first, last string) ([]api.Score, error) {
	members = slices.Clone(members)
	if s.reverse {
		slices.Reverse(members)
	}
	if !s.byScore {
		from, err := integer(first)
		if err != nil {
			return nil, err
		}
		to, err := integer(last)
		return cut(members, from, to), err
	}
	if s.reverse {
		first, last = last, first
	}
	within, err := between(first, last)
	if err != nil {
		return nil, err
	}
	members = within.of(members)
	if s.limit != nil {
		if s.limit[0] < 0 || s.limit[1] == 0 {
			return nil, nil
		}
		to := -1 // a negative number stands for all
		if s.limit[1] > 0 {
			to = s.limit[0] + s.limit[1] - 1
		}
		members = cut(members, s.limit[0], to)
	}
	return members, nil
}

// cut selects the places from the first to the last; negative ones count from the end.
func cut(members []api.Score, first, last int) []api.Score {
	n := len(members)
	if first < 0 {
		first = max(first+n, 0)
	}
	if last < 0 {
		last += n
	}
	if last = min(last, n-1); first > last {
		return nil
	}
	return members[first : last+1]
}

// bounds are the lowest and the highest score, each with or without itself.
type bounds struct {
	low, high         float64
	overLow, underTop bool
}

// between reads bounds: 5, (5, -inf, +inf.
func between(low, high string) (b bounds, err error) {
	bound := func(text string) (score float64, without bool) {
		text, without = strings.CutPrefix(text, "(")
		score, e := strconv.ParseFloat(text, 64)
		if e != nil || math.IsNaN(score) {
			err = noFloat
		}
		return score, without
	}
	b.low, b.overLow = bound(low)
	b.high, b.underTop = bound(high)
	return b, err
}

func (b bounds) of(members []api.Score) []api.Score {
	var out []api.Score
	for _, m := range members {
		if m.Score > b.low || !b.overLow && m.Score == b.low {
			if m.Score < b.high || !b.underTop && m.Score == b.high {
				out = append(out, m)
			}
		}
	}
	return out
}

// writeMembers answers the names, with the score after each if that is wanted.
func (c *call) writeMembers(members []api.Score, scores bool) {
	if !scores {
		c.WriteLen(len(members))
	} else {
		c.WriteLen(2 * len(members))
	}
	for _, m := range members {
		c.WriteBulk(m.Name)
		if scores {
			c.WriteFloat(m.Score)
		}
	}
}

// zunion answers the weighted sum of several sorted sets.
func zunion(c *call) error {
	n, err := integer(c.args[0])
	if err != nil || n < 1 || n >= len(c.args) {
		return syntax
	}
	weights, rest := make([]float64, n), c.args[1+n:]
	for i := range weights {
		weights[i] = 1
	}
	if len(rest) > n && strings.EqualFold(rest[0], "WEIGHTS") {
		for i := range weights {
			if weights[i], err = strconv.ParseFloat(rest[1+i], 64); err != nil {
				return refusal("ERR weight value is not a float")
			}
		}
		rest = rest[1+n:]
	}
	var s span
	if err := s.options(rest); err != nil {
		return err
	}
	sums := map[string]float64{}
	for i, w := range weights {
		v, err := c.value(1+i, sortedSet)
		if err != nil {
			return err
		}
		for _, m := range v.members {
			sums[m.Name] += w * m.Score
		}
	}
	var out []api.Score
	for name, score := range sums {
		out = append(out, api.Score{Name: name, Score: score})
	}
	order(out)
	c.writeMembers(out, s.scores)
	return nil
}

// order sorts from the lowest score to the highest, equal ones by name.
func order(members []api.Score) {
	slices.SortFunc(members, func(a, b api.Score) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), strings.Compare(a.Name, b.Name))
	})
}
