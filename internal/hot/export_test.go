package hot

// IDs is how many ids the store has given to files.
func IDs(s *Store) int { return len(s.names[NounFile].texts) }
