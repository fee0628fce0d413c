package agents

import (
	"encoding/json"
	"strings"
)

// JSON returns a value as clients read it and settings files have it: on one line, with < > & as they
// are, because commands contain them. The value can always be encoded.
func JSON(v any) string {
	var b strings.Builder
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil {
		panic(err) // it is only called with our own plain structs
	}
	return strings.TrimSuffix(b.String(), "\n")
}
