package rank

import (
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// said is a repository whose files say something.
func said(t *testing.T, files map[event.Path]string) (*world, Options) {
	w, c := newWorld(t), index.NewContents()
	for p, text := range files {
		w.tree.Add(p)
		c.Set(p, []byte(text))
	}
	return w, all(Options{Contents: func() *index.Contents { return c }})
}

func TestCopiesShareAPlace(t *testing.T) {
	text := "def test_optional_list():\n    # a list that nobody has to give\n    run(values)\n"
	w, o := said(t, map[event.Path]string{
		"a/test_optional_list.py": text, "b/test_optional_list.py": text, "c/test_optional_list.py": text +
			"    check(values)\n",
		"d/test_lists.py": "def test_lists():\n    # an optional list\n    run(values)\n",
		"list.py":         "# an optional list\ndef optional_list(values): pass\n",
	})
	var order []event.Path
	for _, f := range w.ranker(o).Fits("test of an optional list") {
		order = append(order, f.File)
	}
	b, c := slices.Index(order, "b/test_optional_list.py"), slices.Index(order, "c/test_optional_list.py")
	if a, other := slices.Index(order, "a/test_optional_list.py"), slices.Index(order, "list.py"); a > other ||
		b < other || c < other {
		t.Errorf("%v: want one copy first, the others behind the rest", order)
	}
}

func TestTopic(t *testing.T) {
	w, o := said(t, map[event.Path]string{
		"basket.go": "package shop\n\n// addVoucher takes a voucher off the price of the basket.\nfunc addVoucher() {}\n",
		"login.go":  "package shop\n\nfunc login() {}\n",
	})
	o.Models = curious()
	w.prompt("s", epoch.Add(-2*time.Minute), "vouchers make the price of a basket negative when two customers share")
	first, _ := why(t, w.ranker(o), event.Query{Session: "s", Task: event.TaskPrompt}, "basket.go")
	w.prompt("s", epoch.Add(-time.Minute), "go on")
	second, _ := why(t, w.ranker(o), event.Query{Session: "s", Task: event.TaskPrompt, Prompt: "go on"}, "basket.go")
	if first["topic"] != 0 || second["topic"] != 1 {
		t.Errorf("topic %v at the first prompt and %v at the second", first["topic"], second["topic"])
	}
}

func TestWhatStandsTogether(t *testing.T) {
	files := map[event.Path]string{
		"budget.go":      "package shop\n\n// retry\nfunc retry() {}\n\n// budget\nfunc budget() {}\n",
		"call.go":        "package shop\n\nfunc call() {\n\tif retryBudget() {\n\t}\n}\n",
		"budget_test.go": "package shop\n\nfunc TestRetryBudget() {}\n",
	}
	w, o := said(t, files)
	read := map[event.Path]int{}
	o.Read = func(p event.Path) []byte {
		read[p]++
		return []byte(files[p])
	}
	best := func(weights map[string]float64) TextFit {
		texts, err := NewTexts(map[string]map[string]float64{"short": weights})
		fault.Check(t, err)
		o.Texts = &texts
		return w.ranker(o).Fits("the retry budget is spent")[0]
	}
	if f := best(map[string]float64{"text_body": 1, "test": -9}); f.File != "budget.go" || len(read) > 0 {
		t.Errorf("%s fits best, and %v were read: want budget.go, and none", f.File, read)
	}
	f := best(map[string]float64{"text_body": 1, "test": -9, "phrase_place": 3})
	if f.File != "call.go" || f.Values[textPhrase] != 1 {
		t.Errorf("%s fits best with %v: want the file that has the words together", f.File, f.Values)
	}
	if read["budget.go"] != 1 || read["call.go"] != 1 || read["budget_test.go"] != 0 {
		t.Errorf("%v were read: want each source once, and no test, which the text does not ask for", read)
	}
	files["call.go"] = "package shop\n" // since it was indexed
	if f := best(map[string]float64{"text_body": 1, "test": -9, "phrase_place": 3}); f.File != "budget.go" {
		t.Errorf("%s fits best: want what files say now", f.File)
	}
}

// TestWordsLeadToFolders: what is known of the words of a file holds for its folder.
func TestWordsLeadToFolders(t *testing.T) {
	w := newWorld(t, "config/save.go", "misc.go")
	w.commit(epoch, "parse the settings", "config/load.go")
	r := w.ranker(all(Options{}))
	of := func(f event.Path) float64 {
		got, _ := why(t, r, event.Query{Prompt: "parse no settings", At: epoch}, f)
		return got["terms_folder"]
	}
	near(t, "a file of the folder", of("config/save.go"), 1-.51*.51) // two words, each used once, for one file
	near(t, "a file elsewhere", of("misc.go"), 0)
}

// TestWhatTheAgentSaid: a brief prompt is about what the agent said before it, and any other about
// itself.
func TestWhatTheAgentSaid(t *testing.T) {
	w, o := said(t, map[event.Path]string{
		"lexer.go":  "package a\n\n// lexer splits a line into tokens.\nfunc lexer() {}\n",
		"basket.go": "package a\n\n// parsePrice reads the price of a basket.\nfunc parsePrice() {}\n"})
	w.prompt("s", epoch.Add(-time.Hour), "mend the lexer")
	w.happen(event.Event{Time: epoch.Add(-time.Minute), Session: "s",
		Body: event.Stop{Terms: index.Terms("the price of a basket is next", 32), Idents: []string{"parseprice"}}})
	r := w.ranker(o)
	value := func(q event.Query, f event.Path) float64 {
		t.Helper()
		q.Task, q.At = event.TaskPrompt, epoch
		k, err := r.Score(t.Context(), q)
		fault.Check(t, err)
		for _, x := range k.Files {
			if x.File == f {
				return x.Values()[TextBody]
			}
		}
		return 0
	}
	brief := event.Query{Session: "s", Prompt: "do it"}
	if got := value(brief, "basket.go"); got != 1 {
		t.Errorf("%q after what the agent said: %v", brief.Prompt, got)
	}
	for name, q := range map[string]event.Query{
		"no session":    {Prompt: "do it"},
		"many words":    {Session: "s", Prompt: "first do it for all of us please"},
		"other session": {Session: "t", Prompt: "do it"}} {
		if got := value(q, "basket.go"); got != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
