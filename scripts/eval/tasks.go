package main

import "github.com/aoa-dev/aoa/scripts/recorded"

// tasks are the measures of one repository.
func (s *score) tasks() Tasks {
	t := s.hits("")
	if t.T2 != nil {
		t.T2.After, t.T2.All = s.hitsAt("T2after"), s.hitsAt("T2all")
	}
	if t.T3 != nil {
		t.T3.After, t.T3.All = s.hitsAt("T3after"), s.hitsAt("T3all")
	}
	t.T6, t.T6Much = s.hitsAt("T6"), s.hitsAt("T6much")
	if complete := s.all[metric{"T5", "false_per_100"}]; complete.N > 0 {
		recall := s.all[metric{"T5", "recall"}]
		precision := s.all[metric{"T5", "precision"}]
		t.T5 = &Warning{N: int(recall.N), Complete: int(complete.N), Warned: int(precision.N),
			Precision: precision.Value(),
			Recall:    recall.Value(), FalsePer100: complete.Value()}
	}
	if s.Counts.Sessions > 0 {
		t.Shown, t.ShownUnseen = s.any.result(s), s.unseen.result(s)
		before := s.ranked.result(s)
		t.Shown.Ranked = &Trust{before.ECE, before.Brier, before.Reliability}
		if shown := s.all[metric{"lists", "shown"}]; shown.N > 0 {
			t.Lists = &Lists{Prompts: int(shown.N), Shown: shown.Value(),
				Right:  s.all[metric{"lists", "right"}].Value(),
				Lines:  s.all[metric{"lists", "lines"}].Value(),
				Others: s.all[metric{"lists", "others"}].Value()}
		}
		saved := s.all[metric{"shown", "saved"}].Sum
		t.Saved = &Saved{Searches: int(saved), PerSession: saved / float64(s.Counts.Sessions),
			ShareOfAllSearches: saved / max(1, float64(s.Counts.Searches))}
	}
	return t
}

// hits are T1 to T4 of aOa, or of a baseline.
func (s *score) hits(prefix string) Tasks {
	t := Tasks{T2: s.hitsAt(prefix + "T2"), T3: s.hitsAt(prefix + "T3"), T4: s.hitsAt(prefix + "T4")}
	at := func(name string) recorded.Ratio { return s.all[metric{prefix + "T1", name}] }
	if n := at("mrr").N; n > 0 {
		t.T1 = &Turn{int(n), at("any5").Value(), at("p5").Value(), at("recall10").Value(), at("mrr").Value()}
	}
	return t
}

func (s *score) hitsAt(task string) *Hits {
	at := func(name string) recorded.Ratio { return s.all[metric{task, name}] }
	n := at("mrr").N
	if n == 0 {
		return nil
	}
	return &Hits{N: int(n), Hit1: at("hit1").Value(), Hit3: at("hit3").Value(), Hit5: at("hit5").Value(),
		Hit10: at("hit10").Value(), MRR: at("mrr").Value()}
}

// result is what was shown, as numbers.
func (k *shown) result(s *score) *Shown {
	precision := s.all[metric{k.task, "precision"}]
	out := &Shown{N: int(precision.N), Precision: precision.Value(),
		Coverage: s.all[metric{k.task, "coverage"}].Value(),
		ECE:      ece(k.bins), Brier: s.all[metric{k.task,
			"brier"}].Value(), PerSession: precision.N / float64(s.Counts.Sessions)}
	for i, b := range k.bins {
		out.Reliability = append(out.Reliability, Bar{From: float64(i) / binCount, N: b.n, P: b.p / max(b.n, 1),
			Used: b.used / max(b.n, 1)})
	}
	for i, c := range k.curve {
		out.Curve = append(out.Curve, Point{Threshold: gridAt(i), N: c.n, Precision: c.used / max(c.n, 1),
			Coverage: c.covered / max(k.opens, 1)})
	}
	return out
}
