package hooks

import "slices"

// wholeMembers returns the complete members of a JSON object whose end was cut off, as an object.
func wholeMembers(data []byte) []byte {
	var open []byte // the missing closing brackets at i, the outermost first
	whole := 0      // data[:whole] plus the missing brackets is an object
	isKey := false  // the next string is a key
	inObject := func() bool { return len(open) > 0 && open[len(open)-1] == '}' }
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			end := stringEnd(data, i)
			if end < 0 {
				i = len(data)
				break
			}
			if i = end; !isKey {
				whole = i + 1
			}
		case '{', '[':
			open = append(open, c+2) // '}' and ']' follow two after '{' and '['
			whole, isKey = i+1, c == '{'
		case '}', ']':
			if open = open[:max(len(open)-1, 0)]; len(open) == 0 {
				return data[:i+1]
			}
			whole, isKey = i+1, false
		case ':':
			isKey = false
		case ',':
			whole, isKey = i, inObject()
		}
	}
	slices.Reverse(open)
	return append(slices.Clone(data[:whole]), open...)
}

// stringEnd returns the index of the quote that ends the string that begins at i, -1 if the string
// is cut.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}
