package api

// ConfigRequest asks the daemon to read the settings again.
type ConfigRequest struct {
	Revive []string `json:"revive,omitempty"` // kinds of hints whose retirement ends
}

// ConfigAnswer says which of them had retired.
type ConfigAnswer struct {
	Revived []string `json:"revived,omitempty"`
}

// RetiredKind is a kind of hint that is not shown any more, because its record does not justify it.
type RetiredKind struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`  // the evidence, in words
	Back string `json:"back"` // the command that ends its retirement
}
