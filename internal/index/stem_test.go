package index

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestStem: the words of a line share a stem, which no word of another line has.
func TestStem(t *testing.T) {
	line := map[string]int{}
	for i, group := range strings.Split(`caching cache cached caches
		notification notifier notify notified notifications
		dropped drop dropping drops
		tagged tag tagging tags
		querying queries query
		serialization serializer serialize serialized
		handler handle handling handled
		parser parse parsing parsed
		configuration config configure configured configurable
		controller control controlled
		cancelled canceled cancel cancellation
		write writer writing writable
		separable separability separator
		conversion convert converter
		resolution resolve resolver
		description describe
		implementation implement
		failure fail failing failed
		apply applies applied
		copy copies copied
		code coded coding codes
		state states
		stat stats
		pipe pipes
		pip
		string strings
		strict
		process processes processing processor
		proc
		class classes
		classic
		thing
		th
		author authors
		auth
		header headers
		head
		version versions
		status statuses
		iterator iterate iteration iterable
		generator generate generation
		generic
		index indexes indexing
		match matches matcher
		release releases released
		logger logging log
		speed
		need needed needs`, "\n") {
		for _, word := range strings.Fields(group) {
			s := Stem(word)
			if at, known := line[s]; known && at != i {
				t.Errorf("%s has the stem %q, which line %d has", word, s, at+1)
			}
			if first := Stem(strings.Fields(group)[0]); s != first {
				t.Errorf("%s has the stem %q, want %q", word, s, first)
			}
			line[s] = i
		}
	}
	fault.Same(t, "a word outside of ASCII", Stem("Änderungen"), "Änderungen")
}

// FuzzStem: the stem of a stem is itself, and no stem is longer than its word but by the e of a
// short one.
func FuzzStem(f *testing.F) {
	for _, word := range []string{"caching", "notifications", "uses", "xxed", "eeing", "ies", "bility", "parsers'",
		"日本ing", "llll", "\xff"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		s := Stem(word)
		if again := Stem(s); again != s {
			t.Fatalf("%q has the stem %q, which has the stem %q", word, s, again)
		}
		if len(s) > len(word) {
			t.Fatalf("%q has the longer stem %q", word, s)
		}
	})
}
