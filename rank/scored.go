package rank

// Values are the file's signals, as they entered its score.
func (s Scored) Values() Values { return s.c.values }
