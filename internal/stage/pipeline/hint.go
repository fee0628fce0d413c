package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"
)

// didYouMean is "; did you mean …?" with the known name most like this one, "" if none is close.
func didYouMean(name string, known []string, format string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + fmt.Sprintf(format, best) + "?"
}

// distance is the number of characters to insert, delete or replace, within the first 64 bytes.
func distance(a, b string) int {
	return fuzzy.LevenshteinDistance(strings.ToLower(a[:min(len(a), 64)]), strings.ToLower(b[:min(len(b), 64)]))
}

// nameOf is a file's name without folder and extension.
func nameOf(file string) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}
