package eval

// tasks are the measures of one repository.
func (s *Score) tasks() Tasks {
	t := s.hits("")
	if t.T2 != nil {
		t.T2.After, t.T2.All = s.hitsAt("T2after"), s.hitsAt("T2all")
	}
	if t.T3 != nil {
		t.T3.After, t.T3.All = s.hitsAt("T3after"), s.hitsAt("T3all")
	}
	if complete := s.all[metric{"T5", "false_per_100"}]; complete.N > 0 {
		recall := s.all[metric{"T5", "recall"}]
		precision := s.all[metric{"T5", "precision"}]
		t.T5 = &Warning{N: int(recall.N), Complete: int(complete.N), Warned: int(precision.N), Precision: precision.value(),
			Recall: recall.value(), FalsePer100: complete.value()}
	}
	if s.Counts.Sessions > 0 {
		t.Shown, t.ShownUnseen = s.any.result(s), s.unseen.result(s)
		before := s.ranked.result(s)
		t.Shown.Ranked = &Trust{before.ECE, before.Brier, before.Reliability}
		if shown := s.all[metric{"lists", "shown"}]; shown.N > 0 {
			t.Lists = &Lists{Prompts: int(shown.N), Shown: shown.value(), Right: s.all[metric{"lists", "right"}].value(),
				Others: s.all[metric{"lists", "others"}].value()}
		}
		saved := s.all[metric{"shown", "saved"}].Sum
		t.Saved = &Saved{Searches: int(saved), PerSession: saved / float64(s.Counts.Sessions), ShareOfAllSearches: saved / max(1, float64(s.Counts.Searches))}
	}
	return t
}

// hits are T1 to T4 of aOa, or of a baseline.
func (s *Score) hits(prefix string) Tasks {
	t := Tasks{T2: s.hitsAt(prefix + "T2"), T3: s.hitsAt(prefix + "T3"), T4: s.hitsAt(prefix + "T4")}
	at := func(name string) Ratio { return s.all[metric{prefix + "T1", name}] }
	if n := at("mrr").N; n > 0 {
		t.T1 = &Turn{int(n), at("any5").value(), at("p5").value(), at("recall10").value(), at("mrr").value()}
	}
	return t
}

func (s *Score) hitsAt(task string) *Hits {
	at := func(name string) Ratio { return s.all[metric{task, name}] }
	n := at("mrr").N
	if n == 0 {
		return nil
	}
	return &Hits{N: int(n), Hit1: at("hit1").value(), Hit3: at("hit3").value(), Hit5: at("hit5").value(),
		Hit10: at("hit10").value(), MRR: at("mrr").value()}
}

// result is what was shown, as numbers.
func (k *shown) result(s *Score) *Shown {
	precision := s.all[metric{k.task, "precision"}]
	out := &Shown{N: int(precision.N), Precision: precision.value(), Coverage: s.all[metric{k.task, "coverage"}].value(),
		ECE: ece(k.bins), Brier: s.all[metric{k.task, "brier"}].value(), PerSession: precision.N / float64(s.Counts.Sessions)}
	for i, b := range k.bins {
		out.Reliability = append(out.Reliability, Bar{From: float64(i) / binCount, N: b.n, P: b.p / max(b.n, 1), Used: b.used / max(b.n, 1)})
	}
	for i, c := range k.curve {
		out.Curve = append(out.Curve, Point{Threshold: gridAt(i), N: c.n, Precision: c.used / max(c.n, 1), Coverage: c.covered / max(k.opens, 1)})
	}
	return out
}
