package index

import (
	"maps"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// stopWords say nothing about the subject of a text. termStops and requestStops hold them too.
var stopWords = event.WordSet(`about all also and any are because been being both but can could did does done each few for
	get got had has have here how its just let let's like made make more most need new now okay one only other our out
	over please she should some such sure that the them then there they this too using very want was what when where
	which who why will with would yes you your`)

// termStops are left out of index terms: stop words, words that occur in prompts about any file, and what is left of
// "don't" at its apostrophe.
var termStops = union(stopWords, event.WordSet(`add after ain aren before between cant change check code com couldn didn
	doesn doesnt don dont file files fix from hadn hasn haven her hers him his http https into isn line lines look
	mustn needn not see shouldn than two update use used wasn weren won wont wouldn www`))

// requestStops are left out of requests: stop words, and what people add to a request without changing it.
var requestStops = union(stopWords, event.WordSet(`a able actually again am an as at be bit by come comes correctly
	currently do doing during else etc ever every following gets getting give gives go going having he hello help hey
	hi i i'd i'll i'm if im in inside is it it'd keep keeps kindly lets little makes may me might must my needs of off
	ok on ones or own per properly quite really same shall since so still stuff take takes thank thanks their these
	thing things those through try trying under until up us via wants way ways we we'd we'll were while whom whose wish
	within yeah yet you'd`))

// textStops are left out where a text is compared with files: what the grammar of English needs, and politeness. Words
// that may name something in a program (new, get, help, not) stay.
var textStops = event.WordSet(`a about after again ain all also although always am an and another any anyone are aren as
	at be because been before being below between both but by can cannot could couldn d did didn do does doesn doing
	don done down during each either else etc even ever every few for from further had hadn has hasn have haven having
	he hello her here hers herself hi him himself his how however i ie if i'm in instead into is isn it its itself just
	let like ll m make many may maybe me might more most much must my myself need neither no nor now of off ok on once
	one only or other our ours out over own perhaps please probably quite rather re really s same seem seems shall she
	should shouldn since so some something still such sure t than thank thanks that the their theirs them then there
	these they thing things this those though through thus to too under unless until up upon us using ve very via was
	wasn way we well were weren what when where whether which while who whom whose why will with within without won
	would wouldn yet you your yours`)

// agreements are the words of answers that ask for nothing new.
var agreements = event.WordSet(`again ahead all and both carry commit continue cool correct do done fine from go going
	good great hello hi it k keep left lgtm looks make next nice no nope now off ok okay on p perfect please proceed
	push resume right so sure thank thanks that the them this try where y yeah yep yes you yup`)

// OnlyAgrees reports whether a text says no more than "yes, go ahead": all of its words are agreements or numbers. A
// number stands for the choice that was taken.
func OnlyAgrees(text string) bool {
	for word := range Words(strings.ToLower(text)) {
		if !agreements[word] && !isNumber(word) {
			return false
		}
	}
	return true
}

func union(a, b map[string]bool) map[string]bool {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
