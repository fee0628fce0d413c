package rank

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/rogpeppe/go-internal/txtar"

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

// repository returns the files of an archive in testdata.
func repository(t *testing.T, name string) map[event.Path]string {
	files := map[event.Path]string{}
	for _, f := range fault.Must(txtar.ParseFile("testdata/" + name + ".txtar")).Files {
		files[event.Path(f.Name)] = string(f.Data)
	}
	return files
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
		texts := fault.Must(NewTexts(map[string]map[string]float64{"short": weights}))
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
		k := fault.Must(r.Score(t.Context(), q))
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

// TestWordsOfKindsAndPrograms: a word that names a kind of file, and that the text uses for
// something that a program does, leads to no workflow, no lock file and no changelog. Below each
// prompt of testdata/kinds.txt stands the file that comes first (-update writes it).
func TestWordsOfKindsAndPrograms(t *testing.T) {
	w, o := said(t, repository(t, "kinds"))
	o.Models = nil
	w.commit(epoch.Add(-time.Hour), "prepare", "CHANGELOG.md", "package.json", "composer.lock", ".github/workflows/lock.yml")
	r := w.ranker(o)
	fault.Replies(t, "testdata/kinds.txt", func(prompt string) []string {
		k := fault.Must(r.Score(t.Context(), event.Query{Prompt: prompt, At: epoch}))
		return []string{string(k.Files[0].File)}
	})
}

// TestCut: of too many candidates the most likely stay, and the one that was asked for.
func TestCut(t *testing.T) {
	p := pool{index: map[event.Path]*candidate{}}
	for i, f := range []event.Path{"asked", "low", "high", "middle", "lower"} {
		p.get(f).values[Comod] = []float64{0, .2, .9, .5, .1}[i]
	}
	by := Values{Comod: 1}
	p.cut(2, Model{Weights: by, UnseenWeights: by}, "asked")
	var left []string
	for _, c := range p.list {
		left = append(left, string(c.path))
	}
	slices.Sort(left)
	fault.Same(t, "left", left, []string{"asked", "high", "middle"})
}

// TestLabels says what the names of files in testdata/labels.txt say (-update writes it).
func TestLabels(t *testing.T) {
	t.Parallel()
	fault.Replies(t, "testdata/labels.txt", func(name string) []string {
		l := newLabel(event.Path(name))
		return []string{fmt.Sprintf("dir=%q stem=%q words=%q depth=%.4g kind=%v upkeep=%v aside=%v",
			l.dir, l.stem, l.words, l.depth, l.file, l.upkeep, l.aside)}
	})
}

// TestQuestions says of the questions of testdata/questions.txt, which are queries in JSON, what they
// mean: the task of one that does not say, and whether it is about the branch. -update writes it.
func TestQuestions(t *testing.T) {
	fault.Replies(t, "testdata/questions.txt", func(line string) []string {
		var q struct {
			event.Query
			On event.Branch `json:"on"`
		}
		if strings.HasPrefix(line, "#") {
			return nil
		}
		fault.Check(t, json.Unmarshal([]byte(line), &q))
		q.Branch = q.On
		return []string{fmt.Sprintf("task %s, about the branch: %v", TaskOf(q.Query), AsksBranch(q.Query))}
	})
}

// TestFitsHoldOneTree: fits are computed once in each state of the files, and keep no tree of an
// earlier state.
func TestFitsHoldOneTree(t *testing.T) {
	var c fitCache
	found := 0
	get := func(tree *index.Tree, text string) {
		c.get(&queryContext{tree: tree}, text, func() []TextFit { found++; return []TextFit{} })
	}
	old := index.NewTree([]event.Path{"a.go"})
	pinned := weak.Make(old)
	for range 2 {
		get(old, "one")
		get(old, "two")
	}
	fault.Same(t, "computed", found, 2)
	old.Add("b.go")
	get(old, "one")
	fault.Same(t, "computed after a file was added", found, 3)
	now := index.NewTree([]event.Path{"a.go"})
	get(now, "one")
	fault.Same(t, "computed after a commit", found, 4)
	old = nil
	runtime.GC()
	if pinned.Value() != nil {
		t.Error("the tree of before the commit is still in memory")
	}
	runtime.KeepAlive(&c)
}
