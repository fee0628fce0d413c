package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strings"
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

// distance is the number of characters to insert, drop or replace (Levenshtein), of at most 64 bytes each.
func distance(a, b string) int {
	a, b = strings.ToLower(a[:min(len(a), 64)]), strings.ToLower(b[:min(len(b), 64)])
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := left
			if a[i] != b[j] {
				cost = min(left, row[j], row[j+1]) + 1
			}
			left, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// nameOf is a file's name without folder and extension.
func nameOf(file string) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}
