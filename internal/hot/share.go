package hot

// Share makes this store's views read scores from a mirror of the server that several daemons learn into; facts, which are
// this daemon's own, stay here. Nil ends it. The mirror has the same half-lives.
func (s *Store) Share(mirror *Store) { s.mirror.Store(mirror) }
