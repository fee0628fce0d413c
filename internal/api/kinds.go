package api

// Revive ends the retirement of a kind of suggestion.
var Revive = Route[ReviveRequest, ReviveAnswer]{"POST", "/revive"}

// RetiredKind is a kind of suggestion that is not shown any more, because its record does not justify it.
type RetiredKind struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`  // the evidence, in words
	Back string `json:"back"` // the command that ends its retirement
}

// ReviveRequest names the kind.
type ReviveRequest struct {
	Kind string `json:"kind"`
}

// ReviveAnswer says whether it had retired.
type ReviveAnswer struct {
	Kind    string `json:"kind"`
	Revived bool   `json:"revived"`
}
