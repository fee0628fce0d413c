package index

import "strings"

// synonyms maps the stem of each word in a group of synonyms to the stem of the group's first word.
var synonyms = func() map[string]string {
	m := map[string]string{}
	for g := range strings.SplitSeq(wordLists["synonyms"], ",") {
		all := strings.Fields(g)
		for _, w := range all {
			m[Stem(w)] = Stem(all[0])
		}
	}
	return m
}()

var (
	weakWords    = foldedSet("weak")
	countedWords = foldedSet("counted")
	negations    = wordSet("negations")
	questions    = wordSet("questions")
	openings     = wordSet("openings")
	polite       = wordSet("polite")
)

// looking is the class of the tasks that a question asks for, too.
const looking = "look"

// directions maps words that tell where something moves from and to. If the word after one of them
// is on the other side in another request, the requests differ.
var directions = map[string]string{"from": "from", "to": "to", "into": "to", "before": "before", "after": "after"}

// tasks maps a word to the class of task that it asks for, because explaining something is another
// task than removing it. Words that name a thing as often as a task (test, build, log) are left
// out.
var tasks = func() map[string]string {
	m := map[string]string{}
	for class, list := range map[string]string{
		looking: "explain show find check review summarize compare investigate trace", "fix": "fix",
		"make":   "add implement generate",
		"remove": "remove", "rename": "rename", "reshape": "refactor simplify extract split inline",
		"faster":   "optimize improve reduce",
		"document": "document", "run": "run", "translate": "translate", "retire": "deprecate", "undo": "revert",
		"publish": "release",
	} {
		for _, w := range strings.Fields(list) {
			m[fold(w)] = class
		}
	}
	return m
}()

// opposites maps a word to the words that must not be taken for it.
var opposites = func() map[string][]string {
	m := map[string][]string{}
	for p := range strings.SplitSeq(wordLists["opposites"], ",") {
		ab := strings.Fields(p)
		a, b := fold(ab[0]), fold(ab[1])
		if a != "" && b != "" && a != b {
			m[a], m[b] = append(m[a], b), append(m[b], a)
		}
	}
	return m
}()

func foldedSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range wordSet(list) {
		m[fold(w)] = true
	}
	return m
}
