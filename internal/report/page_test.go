package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	past "github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// Names that try to leave their place.
const (
	image  = event.Path("web/<img src=x onerror=document.title='hacked'>.go")
	script = event.Path("web/</script><script>document.title='hacked'</script>")
	turned = event.Path("web/\u202egnp.exe")
)

var begin = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

// commit is the n-th commit of the made-up history, a day after the one before.
func commit(n int, files ...event.Path) event.Event {
	return event.Event{ID: fmt.Sprintf("commit:%040d", n), Time: begin.AddDate(0, 0, n),
		Body: event.Commit{Text: fmt.Sprintf("change <b>%d</b>", n), Paths: files}}
}

// made is a repository of six files: a.go and b.md belong together across folders, the three of web
// inside of one.
func made(t *testing.T) Input {
	t.Helper()
	in := Input{Name: "made <up>", Now: begin.AddDate(0, 3, 0), Status: api.StatusAnswer{Commits: 40, Files: 6,
		Sessions: 2}, Files: []event.Path{"docs/b.md", "lone.txt", "src/a.go", image, script, turned},
		Lines: func(p event.Path) int { return 100 * len(p) }}
	for i := range 40 {
		var e event.Event
		switch i % 4 {
		case 0, 1:
			e = commit(i, "docs/b.md", "src/a.go")
		case 2:
			e = commit(i, image, script, turned)
		case 3:
			e = commit(i, "src/a.go", "gone.go", "lone.txt")
		}
		in.Events = append(in.Events, e)
	}
	past := fault.Must(eval.Changes(t.Context(), eval.Source{Commits: in.Events}, eval.Options{Newest: 8}, .55))
	in.Past = past
	for i := range 60 {
		in.Outcomes = append(in.Outcomes, prefetch.Outcome{At: begin.AddDate(0, 0, i), P: float64(i%10) / 10, Used: i%10 > 4,
			Status: prefetch.Shown})
	}
	in.Hints = []prefetch.Record{{Kind: "prompt", Shown: prefetch.Tally{Decided: 20, Resolved: 10, Right: 7},
		Withheld: prefetch.Tally{Decided: 4, Resolved: 4, Right: 1}, Tokens: 800}}
	return in
}

// TestPage: what the page says of a history that one can count by hand.
func TestPage(t *testing.T) {
	in := made(t)
	in.Events = append(in.Events, event.Event{ID: "rename:1", Time: begin.AddDate(0, 0, 50),
		Body: event.Rename{From: []event.Path{"gone.go"}, To: []event.Path{"lone.txt"}}})
	p := New(in)
	want := Across{A: "docs/b.md", B: "src/a.go", Both: 20, OfA: 20, OfB: 30, Year: 20, YearA: 20}
	if !slices.Contains(p.Across, want) {
		t.Errorf("no %+v in %+v", want, p.Across)
	}
	if len(p.Across) != 2 || len(p.Map.Pairs) != 5 || p.Map.All != 6 {
		t.Errorf("%d pairs across folders, %d pairs, %d files", len(p.Across), len(p.Map.Pairs), p.Map.All)
	}
	if p.Hot[0] != (Hot{"src/a.go", 30, 800}) {
		t.Errorf("the hottest is %+v", p.Hot[0])
	}
	if p.Reliability.Bars[0] != (Bar{6, 0, 0}) || p.Reliability.Bars[9].Used != 1 || len(p.Reliability.Weeks) != 9 ||
		p.Reliability.Weeks[0] != (Week{begin.Truncate(24 * time.Hour), 2, 5}) {
		t.Errorf("%+v", p.Reliability)
	}
	if p.Past.Changes == 0 || p.Past.Asked == 0 || p.Past.Five < .9 {
		t.Errorf("%+v", p.Past)
	}
	if c := p.Changes[0]; c.Files[0].Place != 1 && c.Files[0].Place != 2 || !strings.HasPrefix(c.Subject, "change <b>") {
		t.Errorf("%+v", c)
	}
}

// TestCountedAlike: the page counts the commits of two files as all commands do: also those of many
// files, which find no pair, and none of what went through the repository for a tool.
func TestCountedAlike(t *testing.T) {
	in := made(t)
	commits := &past.Commits{}
	many := []event.Path{"docs/b.md", "src/a.go"}
	for i := range 30 {
		many = append(many, event.Path(fmt.Sprintf("gone/%d/x.go", i)))
	}
	sweep := event.Event{ID: "commit:1", Time: begin.AddDate(0, 0, 60), Body: event.Commit{Text: "run gofmt", Paths: many}}
	in.Events = append(in.Events, commit(50, many...), commit(51, many...), sweep)
	for _, e := range in.Events {
		if b := e.Body.(event.Commit); past.Counts(b) {
			commits.Add("", b.Paths, nil)
		}
	}
	n := commits.Count("src/a.go", "docs/b.md")
	want := Across{A: "docs/b.md", B: "src/a.go", Both: n.Both, OfA: commits.Count("docs/b.md", "x").Of, OfB: n.Of, Year: 22, YearA: 22}
	if p := New(in); !slices.Contains(p.Across, want) || n.Both != 22 {
		t.Errorf("%d common commits, and no %+v in %+v", n.Both, want, p.Across)
	}
}

// TestHeadline: three sentences to act on, each with its section; pairs without a commit of the
// last year stand last.
func TestHeadline(t *testing.T) {
	p := New(made(t))
	var sections []string
	for _, s := range p.Headline {
		sections = append(sections, s.Section)
	}
	if len(sections) != 3 || sections[0] != "across" || sections[2] != "right" {
		t.Fatalf("%+v", p.Headline)
	}
	if s := p.Headline[0].Text; s != "All 20 commits that changed `docs/b.md` in the last year also changed `src/a.go`." {
		t.Error(s)
	}
	if p.Across = nil; len(p.headline()) != 2 || p.headline()[0].Section != "hot" {
		t.Errorf("without a pair: %+v", p.headline())
	}
	p.Across = []Across{{A: "often.go", B: "tests.go", Year: 14, YearA: 43}, {A: "x`y.go", B: "z.go", Year: 8, YearA: 10}}
	if s := p.headline()[0].Text; s != "8 of the 10 commits that changed `x'y.go` in the last year also changed `z.go`." {
		t.Error(s)
	}
	for _, small := range []Hot{{File: "a.go", Lines: headlineLines - 1, Commits: 90}, {File: "a.go", Lines: 9000, Commits: headlineCommits - 1}} {
		if p.Hot = []Hot{small}; len(p.headline()) != 2 {
			t.Errorf("%+v is in the headline: %+v", small, p.headline())
		}
	}
	old := []Across{}
	for _, x := range New(made(t)).Across {
		if x.Year == 0 {
			old = append(old, x)
		} else if len(old) > 0 {
			t.Errorf("%+v stands behind %+v", x, old[0])
		}
	}
}

// TestEmpty: a repository without a commit has a page, whose sections say when they will have something.
func TestEmpty(t *testing.T) {
	var out bytes.Buffer
	fault.Check(t, New(Input{Name: "new"}).Write(&out))
	if !strings.Contains(out.String(), `"name":"new"`) {
		t.Error("the page has no name")
	}
	b := startBrowser(t)
	b.open(New(Input{Name: "new"}))
	if got := b.eval(`[...document.querySelectorAll('section')].filter(s => !/appears? here/.test(s.textContent)).map(s => s.id)`); got != "[]" {
		t.Errorf("these do not say when they will have something: %s", got)
	}
}

// TestAlone: nothing of a name can end the element of the data, and the page names no other place.
func TestAlone(t *testing.T) {
	var out bytes.Buffer
	fault.Check(t, New(made(t)).Write(&out))
	text := out.String()
	data := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(text)
	if data == nil || strings.ContainsAny(data[1], "<>") || !json.Valid([]byte(data[1])) ||
		!strings.Contains(data[1], `\u003cimg src=x`) {
		t.Fatalf("the data is %.200q", data)
	}
	if strings.Contains(text, "\u202e") {
		t.Error("a name turns the line around")
	}
	for _, bad := range []string{"innerHTML", "insertAdjacent", "document.write", "DOMParser", "eval(", "src=\"",
		"@import", "url(", "unsafe-"} {
		if strings.Contains(strings.Replace(text, data[1], "", 1), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	fault.Same(t, "the page names an address", strings.Count(text, "http"), strings.Count(text, "http-equiv"))
}

// TestBrowser: in a real browser the page shows its figures, does nothing that a name says, sends nothing, and works
// by keyboard.
func TestBrowser(t *testing.T) {
	b := startBrowser(t)
	url, accessibility := b.open(New(made(t))), string(fault.Must(os.ReadFile("testdata/accessibility.js")))
	same := func(expression, want string) {
		t.Helper()
		fault.Same(t, expression, b.eval(expression), want)
	}
	same(`[...document.querySelectorAll('section')].map(s => s.id).join()`,
		`"together,across,hot,right,hints,changes"`)
	same(`document.querySelectorAll('.map .leaf').length`, `6`)
	same(`document.querySelectorAll('.map .links path').length`, `5`)
	same(`document.querySelectorAll('.chart').length`, `3`)
	same(`[...document.querySelectorAll('svg *')].some(n => [...n.attributes].some(a => /NaN|undefined/.test(a.value)))`,
		`false`)
	same(`document.documentElement.scrollWidth <= innerWidth`, `true`)

	// A name is text.
	same(`document.title`, `"aOa: made <up>"`)
	same(`document.querySelectorAll('img').length + document.querySelectorAll('script').length + document.querySelectorAll('b b, i i').length`, `2`)
	same(`document.body.textContent.includes("<img src=x onerror=document.title='hacked'>.go")`, `true`)

	// A file leads to what it changes with.
	b.eval(`[...document.querySelectorAll('#across a')].find(a => a.textContent.includes('b.md')).click()`)
	same(`location.hash + document.querySelector('.panel h3').textContent`, `"#togetherb.md"`)
	b.press("Escape", 27)

	// The keyboard.
	b.eval(`map.pick(-1)`)
	b.eval(`document.querySelector('.map').focus()`)
	b.press("ArrowRight", 39)
	same(`document.querySelector('.panel h3').textContent`, `"lone.txt"`)
	b.press("ArrowRight", 39)
	same(`document.querySelector('.panel h3').textContent`, `"b.md"`)
	same(`document.querySelectorAll('.links .on').length`, `1`)
	b.press("Enter", 13)
	same(`document.querySelector('.crumbs [aria-current=true]').textContent`, `"docs"`)
	b.press("Backspace", 8)
	same(`document.querySelector('.crumbs [aria-current=true]').textContent`, `"whole repository"`)

	for _, width := range []int{1280, 390} {
		b.size(width)
		if got := b.eval(`document.querySelector("header").getBoundingClientRect().height`); width < 560 && (len(got) > 2 && got[2] != 0x2e || got > "56") {
			t.Errorf("the header is %s px high", got)
		}
		same(`[...document.querySelectorAll('.map text')].every(t => t.getBoundingClientRect().width === 0 || parseFloat(t.getAttribute('font-size')) >= 9)`, `true`)
		same(`[...document.querySelectorAll('.changes li, .panel li')].every(li => li.scrollWidth <= li.clientWidth && [...li.querySelectorAll('.path')].every(p => p.clientHeight < 30))`, `true`)
		// Of two files with one name the folder is shown, and letters keep their size where the page is narrow.
		spots := `scatter([{file: 'a/x.go', lines: 900, commits: 9}, {file: 'b/x.go', lines: 200, commits: 3}])`
		same(`[...`+spots+`.querySelectorAll('.name')].slice(-2).map(t => t.textContent).sort().join()`, `"a/x.go,b/x.go"`)
		same(`+`+spots+`.getAttribute('viewBox').split(' ')[2] < 560`, fmt.Sprint(width < 560))
		for _, scheme := range []string{"light", "dark"} {
			b.eval(`dress('` + scheme + `')`)
			fault.Same(t, fmt.Sprintf("%d px, %s", width, scheme), b.eval(accessibility), "[]")
		}
	}
	b.eval(`dress('')`)

	// Light and dark: as the system has it, then by the button.
	paper := `getComputedStyle(document.body).backgroundColor`
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme",
		"value": "dark"}}}, nil)
	same(paper, `"rgb(15, 19, 24)"`)
	b.eval(`document.getElementById('theme').click()`)
	same(paper, `"rgb(255, 255, 255)"`)

	// Until here nothing was asked for but the page, and nothing went wrong.
	for _, m := range b.seen {
		switch m.Method {
		case "Network.requestWillBeSent":
			var sent struct{ Request struct{ URL string } }
			fault.Check(t, json.Unmarshal(m.Params, &sent))
			fault.Same(t, "request", sent.Request.URL, url)
		case "Runtime.exceptionThrown", "Log.entryAdded":
			t.Errorf("%s: %s", m.Method, m.Params)
		}
	}

	// The policy holds even against a script of its own.
	l := fault.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	same(fmt.Sprintf(`fetch('http://%s/').then(() => 'sent', () => 'refused')`, l.Addr()), `"refused"`)
	same(`(() => { const s = document.createElement('script'); s.textContent = "document.title = 'hacked'"; document.body.append(s); return document.title })()`, `"aOa: made <up>"`)
	same(`new Promise(done => { const i = new Image(); i.onerror = () => done('refused'); i.onload = () => done('shown'); i.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' })`, `"refused"`)
}
