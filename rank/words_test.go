package rank

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// TestReasonsHaveWords: a reason writes words as the prompt or the repository does, says "opened"
// of no file that no session has opened, and comes once.
func TestReasonsHaveWords(t *testing.T) {
	w := newWorld(t, "kubernetes/deploy.go", "image/tag.go", "image/drop.go")
	for i := range 4 {
		w.commit(epoch.AddDate(0, 0, i-9), "kubernetes: tagged images are dropped", "image/tag.go", "kubernetes/deploy.go")
	}
	contents := index.NewContents()
	contents.Set("image/tag.go", []byte("package image\n\n// dropped or tagging of images in kubernetes\nfunc max_items() {}\n"))
	ranker := w.ranker(all(Options{Contents: func() *index.Contents { return contents }}))
	texts := func(q event.Query) (out []string) {
		q.Task = event.TaskPrompt
		_, s := why(t, ranker, q, "image/tag.go")
		for _, r := range s.Reasons {
			if r.Text != "" && r.Value*r.Weight > 0 {
				out = append(out, r.Text)
			}
		}
		return out
	}
	got := texts(event.Query{Prompt: "tagged images: kubernetes dropped max_items"})
	for _, want := range []string{"committed before with the words tagged, kubernetes, dropped",
		"mentions max_items, dropped, images"} {
		if !slices.Contains(got, want) {
			t.Errorf("reasons %q, want one of them %q", got, want)
		}
	}
	said := map[string]int{}
	for _, s := range rankOf(t, ranker,
		event.Query{Task: event.TaskPrompt, Prompt: "tagged images: kubernetes dropped max_items"}).Suggestions {
		for _, r := range s.Reasons {
			said[string(s.File)+": "+r.Text]++
		}
	}
	for text, n := range said {
		if n > 1 && !strings.HasSuffix(text, ": ") {
			t.Errorf("%d times %q", n, text)
		}
	}

	// A word that texts about anything have is no reason, alone or beside others.
	contents.Set("image/drop.go", []byte("package image\n\n// check the kubernetes, not this\n"))
	for prompt, want := range map[string]string{"do not check": "", "check the kubernetes": "mentions kubernetes"} {
		_, s := why(t, ranker, event.Query{Task: event.TaskPrompt, Prompt: prompt}, "image/drop.go")
		if i := slices.IndexFunc(s.Reasons, func(r event.Reason) bool {
			return strings.HasPrefix(r.Text,
				"mentions")
		}); (i >= 0) != (want != "") || i >= 0 && s.Reasons[i].Text != want {
			t.Errorf("%q: reasons %+v, want %q", prompt, s.Reasons, want)
		}
	}

	// Of the prompt of a session only the stems are known: those that a path has are words.
	w.prompt("s", epoch.Add(-time.Minute), "tagged images: kubernetes dropped")
	w.flush()
	if got := texts(event.Query{Session: "s"}); !slices.Contains(got,
		"committed before with the words tag, kubernetes, drop") {
		t.Errorf("reasons %q, want words of paths and no stems", got)
	}
	w.open("s", epoch, "image/tag.go")
	w.flush()
	if got := texts(event.Query{Prompt: "kubernetes"}); !slices.Contains(got,
		"opened or committed before with the word kubernetes") {
		t.Errorf("reasons %q, want that it was opened", got)
	}
}
