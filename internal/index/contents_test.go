package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

func paths(found []Hit) (out []event.Path) {
	for _, f := range found {
		out = append(out, f.Path)
	}
	return out
}

// library is three files that belong together and some that do not.
func library() *Contents {
	c := NewContents()
	c.Set("retry/backoff.go", []byte("package retry\nfunc NextBackoff(attempt int) time.Duration { return jitterDelay(attempt) }"))
	c.Set("client/send.go", []byte("package client\nfunc sendRequest() { retry.NextBackoff(3); openSocket() }"))
	c.Set("docs/notes.md", []byte("How a request is sent, and how long to wait."))
	for i := range 8 {
		c.Set(event.Path(fmt.Sprintf("other/f%d.go", i)), []byte(fmt.Sprintf("package other\nfunc unrelatedThing%d() {}", i)))
	}
	return c
}

func TestContentsAreFound(t *testing.T) {
	c := library()
	if got := paths(c.Words(Terms("the backoff of an attempt", 8), 5)); len(got) < 2 || got[0] != "retry/backoff.go" {
		t.Errorf("words find %v, want the file about backoff first", got)
	}
	if got := c.Identifiers(Identifiers("look at next_backoff and NextBackoff", 8), 5); len(got) != 2 || got[0].Words[0] != "nextbackoff" {
		t.Errorf("the identifier finds %+v, want the two files that have it", got)
	}
	if got := paths(c.Alike("retry/backoff.go", 5)); !slices.Equal(got, []event.Path{"client/send.go"}) {
		t.Errorf("alike are %v, want the caller", got)
	}
	c.Set("client/send.go", []byte("package client\nfunc sendRequest() { openSocket() }"))
	if got := c.Alike("retry/backoff.go", 5); len(got) != 0 {
		t.Errorf("alike are %v after the call went, want none", got)
	}
	before := c.Len()
	c.Remove("retry/backoff.go", "never/there.go")
	if got := c.Words([]string{"backoff"}, 5); len(got) != 0 || c.Len() != before-1 {
		t.Errorf("a removed file is still found: %v, %d files", got, c.Len())
	}
}

func TestContentsOfNoText(t *testing.T) {
	c := library()
	n := c.Len()
	c.Set("a.bin", []byte("headline\x00words"))
	c.Set("huge.go", []byte(strings.Repeat("someIdentifier ", MaxFileSize/10)))
	c.Set("empty.go", nil)
	if c.Len() != n {
		t.Errorf("%d files, want %d: no text, too long and empty say nothing", c.Len(), n)
	}
	if got := NewContents().Words([]string{"backoff"}, 5); got != nil {
		t.Errorf("nothing finds %v", got)
	}
}

func FuzzContents(f *testing.F) {
	f.Add([]byte("func NextBackoff() {}"), "next_backoff")
	f.Add([]byte("\xff\xfe äöü_Name"), "äöü_Name")
	f.Fuzz(func(t *testing.T, text []byte, question string) {
		c := library()
		c.Set("x", text)
		c.Set("x", text)
		c.Words(Terms(question, 8), 5)
		c.Identifiers(Identifiers(question, 8), 5)
		c.Alike("x", 5)
		c.Remove("x")
		if want := library(); c.Len() != want.Len() || c.length != want.length {
			t.Errorf("what a file says stays when it goes: %d files, length %v", c.Len(), c.length)
		}
	})
}

func BenchmarkContents(b *testing.B) {
	c := NewContents()
	for i := range 10_000 {
		var text strings.Builder
		for k := range 300 {
			fmt.Fprintf(&text, "call%dName%d word%d ", i%700, (i*7+k)%5000, (i+k*k)%9000)
		}
		c.Set(event.Path(fmt.Sprintf("d%d/f%d.go", i%100, i)), []byte(text.String()))
	}
	for b.Loop() {
		c.Words([]string{"word17", "word400", "name12", "call3"}, 40)
		c.Alike("d5/f5.go", 40)
	}
}
