package main

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// metric is one number of the table.
type metric struct{ task, name string }

// sums are the numbers of one repository, as a whole and per cluster: a session, or a commit. Questions of a cluster
// are not independent, so the bootstrap draws clusters.
type sums struct {
	all      map[metric]recorded.Ratio
	clusters map[string]map[metric]recorded.Ratio
}

func newSums() *sums {
	return &sums{all: map[metric]recorded.Ratio{}, clusters: map[string]map[metric]recorded.Ratio{}}
}

// add counts one observation; cluster "" is kept in the whole only.
func (s *sums) add(cluster, task, name string, sum, n float64) {
	m := metric{task, name}
	r := s.all[m]
	s.all[m] = recorded.Ratio{Sum: r.Sum + sum, N: r.N + n}
	if cluster == "" {
		return
	}
	c := s.clusters[cluster]
	if c == nil {
		c = map[metric]recorded.Ratio{}
		s.clusters[cluster] = c
	}
	r = c[m]
	c[m] = recorded.Ratio{Sum: r.Sum + sum, N: r.N + n}
}

// hitAt are the lengths of lists that are looked at.
var hitAt = []struct {
	k    int
	name string
}{{1, "hit1"}, {3, "hit3"}, {5, "hit5"}, {10, "hit10"}}

// place counts one question for one file, which stood at that place from 1, or 0 if it was not listed.
func (s *sums) place(cluster, task string, place int) {
	for _, h := range hitAt {
		s.add(cluster, task, h.name, truth(place > 0 && place <= h.k), 1)
	}
	rr := 0.0
	if place > 0 {
		rr = 1 / float64(place)
	}
	s.add(cluster, task, "mrr", rr, 1)
}

// turn counts one prompt: the list without files that the prompt named, and what the turn opened.
func (s *sums) turn(cluster, task string, list []event.Path, turn map[event.Path]bool) {
	five, ten, rr := 0, 0, 0.0
	for i, f := range list {
		if !turn[f] {
			continue
		}
		if rr == 0 {
			rr = 1 / float64(i+1)
		}
		if i < 5 {
			five++
		}
		if i < 10 {
			ten++
		}
	}
	s.add(cluster, task, "any5", truth(five > 0), 1)
	s.add(cluster, task, "p5", float64(five)/5, 1)
	s.add(cluster, task, "recall10", float64(ten)/float64(len(turn)), 1)
	s.add(cluster, task, "mrr", rr, 1)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// placeOf is the place from 1 of a file among those of a list that count, 0 if it is none of them.
func placeOf(list []event.Path, f event.Path, counts func(event.Path) bool) int {
	n := 0
	for _, g := range list {
		if !counts(g) {
			continue
		}
		if n++; g == f {
			return n
		}
	}
	return 0
}

func set(files []event.Path) map[event.Path]bool {
	out := make(map[event.Path]bool, len(files))
	for _, f := range files {
		out[f] = true
	}
	return out
}
