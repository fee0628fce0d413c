package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// Input is the data of a page. If a part is missing, its section is left out.
type Input struct {
	Name   string // name of the repository
	Now    time.Time
	Status api.StatusAnswer
	Events []event.Event // commits and renames, oldest first
	Files  []event.Path  // the files that exist
	// lines of a file, 0 if it cannot be read; called for the files that change most
	Lines    func(event.Path) (n int)
	Outcomes []prefetch.Outcome // outcomes of predicted files, oldest first
	Hints    []prefetch.Record  // outcomes of hints, by kind
	Past     []eval.Change      // the newest changes, oldest first
}

// Page is the data that the page shows. Names are made printable with event.Path.Display.
type Page struct {
	Name   string    `json:"name"`
	Made   time.Time `json:"made"`
	Counts *Counts   `json:"counts,omitempty"`

	Headline []Sentence `json:"headline,omitempty"` // the advice at the top

	Map         *Map              `json:"map,omitempty"`
	Across      []Across          `json:"across,omitempty"`
	Hot         []Hot             `json:"hot,omitempty"`
	Reliability *Reliability      `json:"reliability,omitempty"`
	Past        *Past             `json:"past,omitempty"`
	Changes     []Change          `json:"changes,omitempty"`
	Hints       []prefetch.Record `json:"hints,omitempty"`
}

// Counts says how much data the page is made of.
type Counts struct {
	Commits  int64     `json:"commits"`
	Files    int64     `json:"files"`
	Sessions int64     `json:"sessions"`
	Since    time.Time `json:"since,omitzero"` // time of the oldest commit that was considered
}

// New makes the page of a repository.
func New(in Input) *Page {
	h := newCommits(in.Events, in.Files)
	p := &Page{Name: text(in.Name), Made: in.Now.UTC(), Map: h.coupling(), Hot: h.hot(in.Lines),
		Reliability: newReliability(in.Outcomes),
		Past:        newPast(in.Past), Changes: newest(in.Past), Hints: in.Hints}
	p.Across = h.across()
	p.Counts = &Counts{Commits: in.Status.Commits, Files: in.Status.Files, Sessions: in.Status.Sessions}
	if !h.since.IsZero() {
		p.Counts.Since = h.since.UTC()
	}
	p.Headline = p.headline()
	return p
}

// text makes a name or a subject printable.
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

// Write prints the page. In the JSON of its data '<', '>' and '&' are escaped, so that no name can
// end the script element. The content security policy allows only the script and the style of the
// page itself.
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

// hash returns the hash by which the content security policy names a script or a style.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
