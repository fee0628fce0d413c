package rank

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// shop is that repository with a history, two sessions that are over and one that runs.
func shop(t *testing.T) (*world, Options) {
	files := repository(t, "shop")
	w, o := said(t, files)
	day := func(ago int) time.Time { return epoch.AddDate(0, 0, -ago) }
	for i := range 6 {
		w.commit(day(90-9*i), "basket: compute the total price", "basket/basket.go", "basket/total_test.go")
		w.commit(day(88-9*i), "tax: round the rate", "tax/rate.go", "tax/rate_test.go", "tax/rounding.go")
	}
	w.commit(day(21), "web: show the total", "web/handler.go", "web/template.html", "basket/basket.go", "README.md")
	w.commit(day(12), "tax: one table of rates", "tax/table.go", "tax/rate.go", "docs/tax.md", "CHANGELOG.md")
	w.commit(day(5), "bump money", "go.mod")
	w.prompt("old", day(9), "the tax rate of a country is wrong in the table")
	w.open("old", day(9).Add(time.Minute), "tax/rate.go", "tax", "lookup")
	w.open("old", day(9).Add(2*time.Minute), "tax/table.go", "tax")
	w.prompt("web", day(2), "show the basket of the session in the handler")
	for i, f := range []event.Path{"web/handler.go", "web/session.go", "basket/basket.go"} {
		w.open("web", day(2).Add(time.Duration(i)*time.Minute), f, "web")
	}
	w.prompt("named", day(1), "move tax/table.go to web/session.go")
	minutes := func(ago int) time.Time { return epoch.Add(-time.Duration(ago) * time.Minute) }
	w.prompt("s", minutes(30), "the total of a basket ignores lookupRate, the tax rate of its country, see docs/tax.md")
	w.open("s", minutes(28), "basket/basket.go", "tax")
	w.search("s", minutes(26), "lookupRate", nil, []event.Path{"tax/rate.go", "tax/rate_test.go", "basket/basket.go"})
	w.happen(event.Event{Time: minutes(25), Session: "s", Body: event.Call{Act: event.ActSearch, Listing: true,
		Seen: []event.Path{"web/session.go", "web/handler.go", "tax/rounding.go"}}})
	w.open("s", minutes(24), "tax/rate.go", "tax")
	w.happen(event.Event{Time: minutes(20), Session: "s", Body: event.Call{Act: event.ActEdit,
		Paths: []event.Path{"tax/rate.go"}}})
	w.prompt("s", minutes(10), "round the total half up after the tax, and test the handler")
	w.open("s", minutes(9), "tax/rounding.go")
	w.happen(event.Event{Time: minutes(9), Session: "s", Body: event.Call{Act: event.ActEdit,
		Paths: []event.Path{"web/handler.go"}}})
	w.search("s", minutes(8), "loadBasket request", []event.Path{"web/session.go"}, nil)
	o.Read = func(p event.Path) []byte { return []byte(files[p]) }
	return w, o
}

// TestValues compares every signal of every candidate, for a question of each task, with a golden
// file, so that no formula changes unseen. A difference is either a fault or a decision: check it
// against doc.go before you accept it.
func TestValues(t *testing.T) {
	t.Parallel()
	w, o := shop(t)
	w.tree.Add("tax/rate.png") // no text means it
	shown := o                 // the shipped weights decide the order and the reasons
	shown.Models = nil
	r, people := w.ranker(o), w.ranker(shown)
	branch := event.Branch{Name: "feature/round-tax-12", Files: []event.Path{"tax/table.go", "docs/tax.md"}}
	var b strings.Builder
	for _, c := range []struct {
		what string
		q    event.Query
	}{
		{"between calls", event.Query{Session: "s", Task: event.TaskOpen}},
		{"after a failed search", event.Query{Session: "s", Task: event.TaskSearch}},
		{"a prompt in a session", event.Query{Session: "s", Task: event.TaskPrompt, Prompt: "the tests of `lookupRate` fail in tax/rate_test.go"}},
		{"a prompt between calls", event.Query{Session: "s", Task: event.TaskOpen, Prompt: "why is the rate in tax/rate_test.go wrong"}},
		{"a prompt that names them again", event.Query{Session: "named", Prompt: "tax/rounding.go and basket/basket.go, please"}},
		{"a prompt with tags", event.Query{Prompt: "the rate table of a country, as in web/template.html", Tags: []string{"#tax", "web"}}},
		{"a long text", event.Query{Prompt: "Wrong total\n\n" + strings.Repeat("The total of a basket is wrong. ", 40) +
			"\n  File \"tax/rounding.go\", line 4, in addTax\n  File \"basket/basket.go\", line 6, in Total\n"}},
		{"nothing, on a branch with files", event.Query{Branch: branch}},
		{"nothing, on a branch with a name", event.Query{Branch: event.Branch{Name: branch.Name}}},
		{"a text about the branch", event.Query{Prompt: "what do my changes lack", Branch: branch}},
		{"another text on the branch", event.Query{Prompt: "round the rate", Branch: branch}},
		{"nothing at all", event.Query{Task: event.TaskPrompt}},
		{"files that call others", event.Query{Task: event.TaskOpen, Files: []event.Path{"web/handler.go", "tax/rate_test.go"}}},
		{"a prompt that named files", event.Query{Session: "named", Task: event.TaskPrompt}},
	} {
		c.q.At = epoch
		k := fault.Must(r.Score(context.Background(), c.q))
		fmt.Fprintf(&b, "# %s\n", c.what)
		best := fault.Must(people.Score(context.Background(), c.q))
		for i, f := range best.Files[:min(len(best.Files), 6)] {
			fmt.Fprintf(&b, "%d. %s %.3f", i+1, f.File, f.Score)
			for _, why := range best.Suggestion(context.Background(), i, true).Reasons {
				fmt.Fprintf(&b, "; %s: %s", why.Signal, why.Text)
				if why.Evidence {
					fmt.Fprintf(&b, " (evidence %s)", why.With)
				}
			}
			b.WriteByte('\n')
		}
		slices.SortFunc(k.Files, func(a, b Scored) int { return strings.Compare(string(a.File), string(b.File)) })
		for _, f := range k.Files {
			fmt.Fprintf(&b, "%s", f.File)
			for s, v := range f.Values() {
				if v != 0 && Signal(s) != Bias {
					fmt.Fprintf(&b, " %s=%.4g", Signal(s), v)
				}
			}
			b.WriteByte('\n')
		}
	}
	fault.Golden(t, "testdata/values.txt", b.String())
}

// TestFitsOfTexts compares the aspects of what texts mean with a golden file.
func TestFitsOfTexts(t *testing.T) {
	t.Parallel()
	w, o := shop(t)
	r := w.ranker(o)
	var b strings.Builder
	for _, text := range []string{
		"tax rate",
		"round the total half up after tax", "tax: the rate of a country is looked up twice",
		"fix(web): handler shows `loadBasket` of web/session.go", "update the changelog and bump example.com/money",
		"test sumPrices\n\nIt fails:\n  File \"basket/prices.go\", line 5\n  File \"basket/basket.go\", line 6\nsee basket.prices.sumPrices",
	} {
		fmt.Fprintf(&b, "# %q\n", text)
		for _, f := range r.Fits(text) {
			fmt.Fprintf(&b, "%s logit=%.4g share=%.4g said=%q", f.File, f.Logit, f.Share, f.Words)
			for a, v := range f.Values {
				if v != 0 {
					fmt.Fprintf(&b, " %s=%.4g", textSignalNames[a], v)
				}
			}
			b.WriteByte('\n')
		}
	}
	fault.Golden(t, "testdata/fits.txt", b.String())
}

// TestSignalsAreDocumented: the package comment has each signal by the name that aoa why prints.
func TestSignalsAreDocumented(t *testing.T) {
	t.Parallel()
	doc := fault.Must(os.ReadFile("doc.go"))
	for s := Bias + 1; s < signals; s++ {
		if !regexp.MustCompile(`\b` + s.String() + `\b`).Match(doc) {
			t.Errorf("doc.go does not describe %s", s)
		}
	}
}

// TestBoundsOfAQuestion: of what a repository has in plenty, so many files are looked at, and of
// those that were mentioned the last.
func TestBoundsOfAQuestion(t *testing.T) {
	t.Parallel()
	files := func(format string, n int) (out []event.Path) {
		for i := range n {
			out = append(out, event.Path(fmt.Sprintf(format, i)))
		}
		return out
	}
	ago := func(d time.Duration) time.Time { return epoch.Add(-d) }
	for what, c := range map[string]struct {
		prepare func(w *world)
		q       event.Query
		counted Signal // 0: all candidates
		want    int
	}{
		"partners of a file": {func(w *world) {
			for _, f := range files("p%02d/a.go", 40) {
				w.commit(ago(48*time.Hour), "together", "hub.go", f)
			}
		}, event.Query{Task: event.TaskOpen, Files: []event.Path{"hub.go"}}, Comod, 32},
		"files of a word": {func(w *world) {
			for _, f := range files("p%02d/a.go", 40) {
				w.commit(ago(48*time.Hour), "marmalade", f)
			}
		}, event.Query{Prompt: "marmalade"}, TermsRank, 16},
		"files of a tag": {func(w *world) {
			for i, f := range files("p%02d/a.go", 100) {
				w.open(fmt.Sprint("s", i), ago(48*time.Hour), f, "jam")
			}
			for i, f := range files("late%02d/a.go", 80) {
				w.open(fmt.Sprint("late", i), ago(time.Hour), f)
			}
		}, event.Query{Prompt: "no word of it", Tags: []string{"jam"}}, Tags, 16},
		"files opened last": {func(w *world) {
			for i, f := range files("p%02d/a.go", 100) {
				w.open(fmt.Sprint("s", i), ago(time.Hour), f)
			}
		}, event.Query{Prompt: "no word of it"}, RecencyHour, 64},
		"files committed last": {func(w *world) {
			for i, f := range files("p%03d/a.go", 100) {
				w.commit(ago(time.Duration(200-i)*time.Hour), "one", f)
			}
		}, event.Query{Prompt: "no word of it"}, Committed, 64},
		"mentions": {func(w *world) {
			w.tree.Add(files("p%03d/a.go", 120)...)
			for _, f := range files("p%03d/a.go", 120) {
				w.search("s", ago(time.Minute), "", nil, []event.Path{f})
			}
		}, event.Query{Session: "s", Task: event.TaskOpen}, Mentioned, 96},
		"neighbors in a folder": {func(w *world) {
			w.tree.Add(files("folder/z%dq.go", 50)...)
			w.tree.Add("folder/hub.go")
		}, event.Query{Task: event.TaskOpen, Files: []event.Path{"folder/hub.go"}}, Directory, 32},
		"candidates": {func(w *world) {
			for _, hub := range files("hub%d.go", 5) {
				for _, f := range files(string(hub)+"%02d/a.go", 32) {
					w.commit(ago(48*time.Hour), "together", hub, f)
				}
			}
			for i, f := range files("p%02d/a.go", 64) {
				w.open(fmt.Sprint("s", i), ago(time.Hour), f)
			}
		}, event.Query{Task: event.TaskOpen, Files: files("hub%d.go", 5)}, 0, 192},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tree.Add("hub.go")
			for _, f := range files("p%02d/a.go", 100) {
				w.tree.Add(f, "late"+f[1:])
			}
			for _, f := range files("hub%d.go", 5) {
				w.tree.Add(f)
			}
			c.prepare(w)
			c.q.At = epoch
			k := fault.Must(w.ranker(all(Options{})).Score(t.Context(), c.q))
			n := 0
			for _, f := range k.Files {
				if c.counted == 0 || f.Values()[c.counted] > 0 {
					n++
				}
				if c.counted == Mentioned && f.Values()[Mentioned] > 0 && f.File < "p024/a.go" {
					t.Errorf("%s, which was mentioned long before others, is one of them", f.File)
				}
			}
			fault.Same(t, "files", n, c.want)
		})
	}
}

// world is a hot store with a tree, taught by the real learner: one batch per flush.
type world struct {
	t      testing.TB
	store  *hot.Store
	live   *session.Sessions
	learn  *learn.Learner
	tree   *index.Tree
	events []event.Event
	n      int
}

// epoch is when tests begin.
var epoch = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

func newWorld(t testing.TB, files ...event.Path) *world {
	t.Helper()
	store, sessions := hot.New(), session.New()
	return &world{t: t, store: store, live: sessions, learn: learn.New(store), tree: index.NewTree(files)}
}

func (w *world) ranker(o Options) *Ranker {
	w.flush()
	return New(w.store, w.live, func() *index.Tree { return w.tree }, o)
}

func (w *world) flush() {
	w.t.Helper()
	if len(w.events) == 0 {
		return
	}
	w.learn.Learn(w.live, w.events...)
	w.events = nil
}

func (w *world) happen(e event.Event) {
	w.n++
	e.ID = fmt.Sprint("e", w.n)
	w.events = append(w.events, e.Normalize(e.Time))
}

// commit learns a commit; the files become known.
func (w *world) commit(at time.Time, subject string, files ...event.Path) {
	w.tree.Add(files...)
	w.happen(event.Event{Time: at, Body: event.Commit{Paths: files, Terms: index.Terms(subject, event.MaxTerms)}})
}

// prompt learns a prompt; named are the files that the tree finds in it.
func (w *world) prompt(id string, at time.Time, text string) {
	w.happen(event.Event{Time: at, Session: id,
		Body: event.Prompt{Terms: index.Terms(text, event.MaxTerms), Idents: index.Identifiers(text, maxIdents),
			Named: w.tree.Named(text)}})
}

// open learns the opening of a file.
func (w *world) open(id string, at time.Time, f event.Path, tags ...string) {
	w.happen(event.Event{Time: at, Session: id, Body: event.Call{Act: event.ActRead, Paths: []event.Path{f},
		Tags: tags}})
}

// search learns a search whose words, own names and results are given.
func (w *world) search(id string, at time.Time, pattern string, named, results []event.Path) {
	w.happen(event.Event{Time: at, Session: id,
		Body: event.Call{Act: event.ActSearch, Terms: index.Terms(pattern, 8), Named: named, Seen: results}})
}

// curious are models under which every signal is looked up.
func curious() map[event.Task]Model {
	var m Model
	for s := range m.Weights {
		m.Weights[s] = 1e-9
	}
	out := Prior()
	for task := range out {
		out[task] = m
	}
	return out
}

func all(o Options) Options {
	o.Models = curious()
	return o
}

func TestUnusableWeights(t *testing.T) {
	for _, text := range []string{"", "{}", `{"tasks":{"prompt":{"weights":{"luck":1}},"open":{},"change":{}}}`} {
		if _, _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q is taken for weights", text)
		}
	}
	if _, _, err := Parse(shipped); err != nil {
		t.Error(err)
	}
}

// TestSignalNames: each signal has a name.
func TestSignalNames(t *testing.T) {
	fault.Same(t, "signals", len(signalNames), int(signals))
	fault.Same(t, "text signals", len(textSignalNames), int(textSignals))
}
