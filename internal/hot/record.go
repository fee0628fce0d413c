package hot

// Nouns of records that are no names of scores.
const (
	nounSession noun = iota + nounTerm + 1
	nounFact
	nounMeta
)

// record names a snapshot record: everything about one file, tag, term, session or fact key.
type record struct {
	noun noun
	text string
}

// touch marks a record as changed.
func (s *Store) touch(r record) {
	s.dirty[r] = true
	if s.embedded != nil && r.noun <= nounTerm {
		s.known[r] = true
	}
}

// Record is a packed part of the store, for the snapshot. Empty Data says that the key is gone.
type Record struct {
	Key  string
	Data []byte
}
