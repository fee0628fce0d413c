package index

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// synonymGroups are words that mean the same in requests to a coding agent. The first of a group
// represents it. Groups are small, because a wrong match costs more than a missed one.
var synonymGroups = strings.Split(`fix repair correct resolve solve patch, add create introduce append insert,
	remove delete drop erase, rename, explain describe clarify elaborate, show display print list, find locate search
	look, check verify validate confirm ensure, run execute launch start, test spec, error failure bug issue problem
	defect exception fault, fail break broken crash, function method routine func, update upgrade bump, change modify
	alter adjust edit, refactor restructure reorganize reorganise rework, simplify streamline, optimize optimise speed
	faster accelerate, improve enhance better, document docs documentation doc readme, config configuration settings
	setting configure preferences, directory folder dir, repository repo, dependency dependencies deps package library,
	build compile, implement write develop, endpoint route, database db, authentication auth login signin, authorize
	permission authorization access, review inspect audit examine, message text, parameter argument param arg flag
	option, variable var, log logging logs, command cmd, button btn, page screen view, slow latency sluggish, memory
	ram, convert transform translate migrate, summarize summarise summary overview, use usage used utilize, support
	handle, default standard, image picture, format formatting, warning warn, release publish deploy ship, duplicate
	redundant repeated, timeout deadline, retry retries reattempt, user account, email mail, upload uploading, parse
	parsing parser, cache caching cached, concurrent parallel, missing absent lacking, unused dead obsolete, coverage,
	benchmark bench, lint linter, environment env, javascript js, typescript ts, kubernetes k8s, continuous ci pipeline
	workflow`, ",")

// synonyms maps the stem of each word in a group to the stem of the group's first word.
var synonyms = func() map[string]string {
	m := map[string]string{}
	for _, g := range synonymGroups {
		all := strings.Fields(g)
		for _, w := range all {
			m[Stem(w)] = Stem(all[0])
		}
	}
	return m
}()

// weakWords occur in many requests, so they say little about which one it is.
var weakWords = foldedSet(`fix add remove change update improve check run test find show explain implement use
	support make code file function error fail review build document message format log`)

// countedWords name things that have numbers, because issue 12 is another task than issue 13.
var countedWords = foldedSet(`issue bug ticket pr pull request task story item case line step part phase
	question point commit`)

// negations reverse the meaning of the word that follows.
var negations = event.WordSet(`not no never without don't dont doesn't doesnt isn't isnt aren't won't wont can't cant
	cannot couldn't shouldn't wouldn't didn't didnt wasn't weren't haven't hasn't except nor neither none avoid`)

// directions maps words that tell where something moves from and to. If the word after one of them
// is on the other side in another request, the requests differ.
var directions = map[string]string{"from": "from", "to": "to", "into": "to", "before": "before", "after": "after"}

// tasks maps a word to the class of task that it asks for, because explaining something is another
// task than removing it. Words that name a thing as often as a task (test, build, log) are left
// out.
var tasks = func() map[string]string {
	m := map[string]string{}
	for class, list := range map[string]string{
		"look": "explain show find check review summarize compare investigate trace", "fix": "fix",
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

// opposites are pairs of words that must not be taken for each other.
var opposites = oppositePairs(`add remove, enable disable, start stop, increase decrease, show hide, open close,
	encrypt decrypt, lock unlock, push pull, upload download, import export, include exclude, up down, left right, true
	false, first last, min max, minimum maximum, encode decode, read write, get set, install uninstall, connect
	disconnect, public private, allow deny, allow block, accept reject, expand collapse, top bottom, old new, input
	output, client server, merge split, commit revert, upgrade downgrade, mount unmount, frontend backend, sync async,
	light dark, load save, compress decompress, subscribe unsubscribe, login logout, horizontal vertical, row column,
	width height, ascending descending, serialize deserialize, raise lower, shrink grow, success failure, pass fail`)

func foldedSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[fold(w)] = true
	}
	return m
}

func oppositePairs(s string) map[string][]string {
	m := map[string][]string{}
	for _, p := range strings.Split(s, ",") {
		ab := strings.Fields(p)
		a, b := fold(ab[0]), fold(ab[1])
		if a != "" && b != "" && a != b {
			m[a], m[b] = append(m[a], b), append(m[b], a)
		}
	}
	return m
}
