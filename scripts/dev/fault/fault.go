package fault

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var rounds = flag.Int("rounds", 0, "kills, corruptions, … of each test of faults; 0: three, or one with -short")

// Check ends the test if err is not nil.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns v, and panics at an error. It is for the second result of a call that stands inside
// an expression; a test that can go on uses Check.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Write makes a file for the user alone, with the folders that it needs.
func Write(t testing.TB, name, text string) {
	t.Helper()
	Check(t, os.MkdirAll(filepath.Dir(name), 0o700))
	Check(t, os.WriteFile(name, []byte(text), 0o600))
}

// Read returns what a file holds. The test ends if it cannot be read.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	Check(t, err)
	return content
}

// Rounds returns how often each test repeats its fault per seed: a few times in normal tests,
// hundreds of times in scripts/dev/faults.sh.
func Rounds() int {
	switch {
	case *rounds > 0:
		return *rounds
	case testing.Short():
		return 1
	}
	return 3
}

// Required reports whether AOA_REQUIRE names what a test needs: redis, clients, chromium, tmpfs,
// root, separated by commas.
func Required(what string) bool {
	return slices.Contains(strings.Split(os.Getenv("AOA_REQUIRE"), ","), what)
}

// Wanted reports whether to run a long test that needs something: if AOA_REQUIRE names it, if a
// server is named, or if a number of rounds is given. redis.sh and faults.sh of scripts/dev do
// that; make test and make race do not.
func Wanted(what string) bool {
	return Required(what) || what == "redis" && os.Getenv("AOA_TEST_REDIS") != "" || *rounds > 0
}

// Size returns few in normal tests, and many in scripts/dev/faults.sh.
func Size(few, many int) int {
	if *rounds > 0 {
		return many
	}
	return few
}

// Lacking skips a test because the machine lacks something. If AOA_REQUIRE names it, the test fails
// instead. The skip is written to the file that AOA_SKIPPED names, so that .ci/run can count it.
func Lacking(t testing.TB, what, format string, args ...any) {
	t.Helper()
	why := fmt.Sprintf(format, args...)
	if Required(what) {
		t.Fatalf("%s, and AOA_REQUIRE names %s", why, what)
	}
	if name := os.Getenv("AOA_SKIPPED"); name != "" {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err == nil {
			_, err = fmt.Fprintf(f, "%s: %s: %s\n", what, t.Name(), strings.ReplaceAll(why, "\n", " "))
			f.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}
	t.Skip(why)
}

// Verdict is the result of a round of a fault.
type Verdict int

// The verdicts, from harmless to unacceptable.
const (
	Whole   Verdict = iota // everything is there and correct
	Rebuilt                // rebuilt from the history, with a warning
	Refused                // the command ended with an exit code and said what to do
	Lost                   // something is missing that should be there
	Wrong                  // a count, a score or an answer is wrong
	verdicts
)

var words = [verdicts]string{"whole", "rebuilt", "refused", "lost", "wrong"}

// Book counts the verdicts of one kind of fault. Safe for concurrent use.
type Book struct {
	kind string

	mu sync.Mutex
	n  [verdicts]int
}

// Open begins a book; when the test ends it is written to the test's log as one line.
func Open(t testing.TB, kind string) *Book {
	b := &Book{kind: kind}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		line, sum := "", 0
		for v, n := range b.n {
			line += fmt.Sprintf(" %s=%d", words[v], n)
			sum += n
		}
		t.Logf("verdicts|%s| rounds=%d%s", b.kind, sum, line)
	})
	return b
}

// Add counts n rounds with the verdict v.
func (b *Book) Add(v Verdict, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n[v] += n
}

// Count returns the number of rounds with the verdict v.
func (b *Book) Count(v Verdict) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n[v]
}
