package index

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// stopList has words that do not tell what a text is about: words of English grammar, and
// politeness. Words that may name something in a program (new, get, help, not) are not among them.
const stopList = `a about after again ain all also although always am an and another any anyone are aren as
	at be because been before being below between both but by can cannot could couldn d did didn do does doesn doing
	don done down during each either else etc even ever every few for from further had hadn has hasn have haven having
	he hello her here hers herself hi him himself his how however i ie if i'm in instead into is isn it its itself just
	let like ll m make many may maybe me might more most much must my myself need neither no nor now of off ok on once
	one only or other our ours out over own perhaps please probably quite rather re really s same seem seems shall she
	should shouldn since so some something still such sure t than thank thanks that the their theirs them then there
	these they thing things this those though through thus to too under unless until up upon us using ve very via was
	wasn way we well were weren what when where whether which while who whom whose why will with within without won
	would wouldn yet you your yours `

var (
	// stopWords are left out when a text is compared with files.
	stopWords = event.WordSet(stopList)

	// termStops are left out of index terms. They include words that occur in prompts about any
	// file.
	termStops = event.WordSet(stopList + `add cant change check code com doesnt dont file files fix get got http
	https let's line lines look made mustn needn new not okay see two update use used want wont www yes`)

	// requestStops are left out of requests. They include words that people add to a request
	// without changing its meaning.
	requestStops = event.WordSet(stopList + `able actually bit come comes correctly currently following get gets
	getting give gives go going got help hey i'd i'll im inside it'd keep keeps kindly let's lets little made makes needs
	new okay ones per properly stuff take takes try trying want wants ways we'd we'll wish yeah yes you'd`)
)

// agreements are the words of replies that ask for nothing new.
var agreements = event.WordSet(`again ahead all and both carry commit continue cool correct do done fine from go going
	good great hello hi it k keep left lgtm looks make next nice no nope now off ok okay on p perfect please proceed
	push resume right so sure thank thanks that the them this try where y yeah yep yes you yup`)

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
