package rank

// Scale is the calibration that made the file's score.
func (s Scored) Scale() Scale {
	if s.from == nil {
		return Scale{1, 0}
	}
	_, scale := s.from.model.of(s.Unseen)
	return scale
}
