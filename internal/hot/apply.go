package hot

// lockedMembers is how many members a batch may write before views that wait get their turn. It is some 1 ms.
const lockedMembers = 20_000

// Apply adds a batch. A view sees all of it or nothing, except of a batch of more than 20,000 increments.
func (s *Store) Apply(b *Batch) {
	c := b.resolve()
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	s.latest = max(s.latest, s.clock.Believable(c.Newest))
	s.rename(c.Moved)
	s.changes(c.Changes)
	s.mu.Unlock()
	if b.cap == 0 { // of an import every partner counts until the next tick
		s.changeAll(s.planCrowded(c.Changes))
	}
	if !c.Trim.IsZero() {
		s.trim(s.clock.Believable(Seconds(c.Trim)))
	}
	if !c.Decay.IsZero() {
		s.changeAll(s.planDecay(s.clock.Believable(Seconds(c.Decay))))
	}
	if !c.Sweep.IsZero() {
		s.sweep(s.clock.Believable(Seconds(c.Sweep)))
	}
}

// changes carries out what the batch changes, except in sets of epochs that no reader adds any more.
func (s *Store) changes(cs []change) {
	written := 0
	for _, c := range cs {
		if c.Family.Past(c.Epoch, s.clock.Believable(s.latest)) {
			continue
		}
		if written += len(c.Members); written > lockedMembers {
			s.mu.Unlock()
			s.mu.Lock()
			written = 0
		}
		s.change(c)
	}
}
