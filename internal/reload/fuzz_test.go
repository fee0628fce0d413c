package reload

import (
	"testing"
)

// FuzzDecode: no stored row breaks its reader.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"cache-x","text":"explain","actions":[{}],"uses":3}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(data)
		if err != nil {
			return
		}
		e.Summary = summary(e)
		_ = newFingerprint(e.Trigger, e.Text, e.State)
		for _, a := range e.Actions {
			_, _ = a.what(), a.note()
		}
	})
}

// FuzzGlob: a glob is a test or an error.
func FuzzGlob(f *testing.F) {
	for _, s := range []string{"**/*.go", "*.{ts,tsx}", "[a-z]?", "[!a]", "a/**/b", "{", "[", `\`, "**"} {
		f.Add(s, "a/b/c.go")
	}
	f.Fuzz(func(_ *testing.T, pattern, name string) {
		if validGlob(pattern) {
			matchGlob(pattern, name)
		}
	})
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"*.go", "a/b.go", true}, {"a/*.go", "a/b.go", true}, {"a/*.go", "a/b/c.go", false}, {"a/**/*.go", "a/b/c.go", true},
		{"**/*.go", "c.go", true},
		{"*.{ts,tsx}", "x.tsx", true}, {"*.{ts,tsx}", "x.js", false}, {"[!a].go", "b.go", true}, {"[!a].go", "a.go", false},
		{"", "x", true}} {
		if !validGlob(c.pattern) || matchGlob(c.pattern, c.name) != c.want {
			t.Errorf("%q fits %q: %v", c.pattern, c.name, !c.want)
		}
	}
}

func TestDiff(t *testing.T) {
	before := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"
	after := "1\n2\nthree\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n20\n"
	want := "--- a/n\n+++ b/n\n@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n@@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20\n"
	if got := unifiedDiff("n", []byte(before), []byte(after)); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := unifiedDiff("n", nil, []byte("a\n")); got != "--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n" {
		t.Errorf("a new file:\n%s", got)
	}
}
