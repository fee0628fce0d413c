package api

// Revive gives a kind that retired itself another chance.
var Revive = Route[ReviveRequest, ReviveAnswer]{"POST", "/revive"}

// RetiredKind is a kind of suggestion that keeps silent by itself.
type RetiredKind struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`  // the evidence, in words
	Back string `json:"back"` // the command that gives it another chance
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
