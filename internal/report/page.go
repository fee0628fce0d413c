package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// Input is what a page is made of. What is missing leaves its section out.
type Input struct {
	Name     string // of the repository
	Now      time.Time
	Status   api.StatusAnswer
	Events   []event.Event            // commits and renames, oldest first
	Files    []event.Path             // those that exist
	Lines    func(event.Path) (n int) // length of a file, 0 if it cannot be read; asked of the files that change most
	Outcomes []prefetch.Outcome       // outcomes of predicted files, oldest first
	Hints    []prefetch.Record        // outcomes of hints, by kind
	Past     []eval.Change            // the newest changes, oldest first
}

// Page is what the page shows. Names are as a terminal would show them (event.Path.Display).
type Page struct {
	Name   string    `json:"name"`
	Made   time.Time `json:"made"`
	Counts *Counts   `json:"counts,omitempty"`

	Headline []Sentence `json:"headline,omitempty"` // what to act on first

	Map         *Map              `json:"map,omitempty"`
	Across      []Across          `json:"across,omitempty"`
	Hot         []Hot             `json:"hot,omitempty"`
	Reliability *Reliability      `json:"reliability,omitempty"`
	Past        *Past             `json:"past,omitempty"`
	Changes     []Change          `json:"changes,omitempty"`
	Hints       []prefetch.Record `json:"hints,omitempty"`
}

// Counts says what the page is about.
type Counts struct {
	Commits  int64     `json:"commits"`
	Files    int64     `json:"files"`
	Sessions int64     `json:"sessions"`
	Since    time.Time `json:"since,omitzero"` // the oldest commit that was looked at
}

// New makes the page of a repository.
func New(in Input) *Page {
	h := newHistory(in.Events, in.Files)
	p := &Page{Name: text(in.Name), Made: in.Now.UTC(), Map: h.coupling(), Hot: h.hot(in.Lines),
		Reliability: newReliability(in.Outcomes),
		Past:        newPast(in.Past), Changes: newest(in.Past), Hints: in.Hints}
	p.Across = h.across(p.Map)
	p.Counts = &Counts{Commits: in.Status.Commits, Files: in.Status.Files, Sessions: in.Status.Sessions}
	if len(h.changes) > 0 {
		p.Counts.Since = h.changes[0].at.UTC()
	}
	p.Headline = p.headline()
	return p
}

// text is a name or a subject as the page shows it.
func text(s string) string { return event.Path(s).Display() }

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed dom.js
	domJS string
	//go:embed chart.js
	chartJS string
	//go:embed map.js
	mapJS string
	//go:embed mapcontrols.js
	controlsJS string
	//go:embed section.js
	sectionJS string
)

// Write prints the page. Its data is JSON without '<', '>' and '&', so that no name can end the
// element that holds it, and its policy allows the one script and the one style that it came with.
func (p *Page) Write(w io.Writer) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if !json.Valid(data) || bytes.ContainsAny(data, "<>") {
		return fmt.Errorf("write report: the data could end its element")
	}
	script := "\n" + strings.Join([]string{domJS, chartJS, controlsJS, mapJS, sectionJS}, "\n")
	style := "\n" + pageCSS
	page := strings.NewReplacer("{{script hash}}", hash(script), "{{style hash}}", hash(style), "{{style}}", style,
		"{{data}}", string(data), "{{script}}", script)
	_, err = page.WriteString(w, pageHTML)
	return err
}

// hash is how a policy names a script or a style.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// firsts are the first n of a list.
func firsts[T any](list []T, n int) []T { return slices.Clip(list[:min(len(list), n)]) }
