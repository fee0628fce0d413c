package hot

// Share makes this store's views read scores from a mirror of the server that several daemons learn into; sessions and
// facts, which are this daemon's own, stay here. Nil ends it. The mirror has the same half-lives.
func (s *Store) Share(mirror *Store) { s.mirror.Store(mirror) }

// CopySessions copies the sessions of the store, and the batch up to which they are, to another store.
func (s *Store) CopySessions(to *Store) {
	s.writing.Lock()
	defer s.writing.Unlock()
	to.writing.Lock()
	defer to.writing.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	for id, rec := range s.sessions {
		to.sessions[id] = rec.clone()
	}
	to.applied, to.latest = s.applied, s.latest
}
