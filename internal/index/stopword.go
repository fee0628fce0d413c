package index

import "strings"

var (
	stopWords    = wordSet("stop")                     // left out when a text is compared with files
	termStops    = wordSet("stop", "stop in terms")    // left out of index terms
	requestStops = wordSet("stop", "stop in requests") // left out of requests
	agreements   = wordSet("agreements")               // words of replies that ask for nothing new
)

// OnlyAgrees reports whether a text says no more than "yes, go ahead": all of its words are
// agreements or numbers. A number stands for a choice that was offered.
func OnlyAgrees(text string) bool {
	for word := range Words(strings.ToLower(text)) {
		if !agreements[word] && !isNumber(word) {
			return false
		}
	}
	return true
}
