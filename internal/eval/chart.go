package eval

import (
	"fmt"
	"strings"
)

// The charts are drawn in a square of unit coordinates: x and y in [0,1], y upwards.
const (
	chartSize   = 320.0
	chartMargin = 42.0
)

// chart gathers the parts of an SVG. Only numbers and constant words enter it.
type chart struct{ b strings.Builder }

func newChart(title, x, y string) *chart {
	c := &chart{}
	full := chartSize + 2*chartMargin
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="%s"><text class="title" x="%.0f" y="16">%s</text>`, full, full, title, chartMargin, title)
	for i := range 6 {
		at := float64(i) / 5
		fmt.Fprintf(&c.b, `<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, px(0), py(at), px(1), py(at))
		fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="end">%.1f</text><text x="%.1f" y="%.1f" text-anchor="middle">%.1f</text>`,
			px(0)-6, py(at)+4, at, px(at), py(0)+16, at)
	}
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text><text x="%.1f" y="%.1f">%s</text>`, px(.5), py(0)+32, x, 4.0, py(1)-10, y)
	return c
}

func px(x float64) float64 { return chartMargin + x*chartSize }
func py(y float64) float64 { return chartMargin + (1-y)*chartSize }

// line joins points; each is marked, and says what it is when pointed at.
func (c *chart) line(class string, points [][2]float64, notes []string) {
	var path strings.Builder
	for i, p := range points {
		fmt.Fprintf(&path, "%.1f,%.1f ", px(p[0]), py(p[1]))
		fmt.Fprintf(&c.b, `<circle class="%s" cx="%.1f" cy="%.1f" r="3"><title>%s</title></circle>`, class, px(p[0]), py(p[1]), notes[i])
	}
	fmt.Fprintf(&c.b, `<polyline class="%s" points="%s"/>`, class, strings.TrimSpace(path.String()))
}

// legend names a line by its class.
func (c *chart) legend(place int, class, text string) {
	y := py(1) + 14 + 16*float64(place)
	fmt.Fprintf(&c.b, `<rect class="%s" x="%.1f" y="%.1f" width="10" height="10"/><text x="%.1f" y="%.1f">%s</text>`, class, px(0)+8, y-9, px(0)+24, y, text)
}

func (c *chart) html() string {
	return c.b.String() + "</svg>"
}

// reliabilityChart draws what was promised against what was kept.
func reliabilityChart(all, unseen *Shown) string {
	c := newChart("Reliability", "promised", "kept")
	fmt.Fprintf(&c.b, `<line class="ideal" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, px(0), py(0), px(1), py(1))
	for i, s := range []*Shown{all, unseen} {
		var points [][2]float64
		var notes []string
		for _, b := range s.Reliability {
			if b.N > 0 {
				points = append(points, [2]float64{b.P, b.Used})
				notes = append(notes, fmt.Sprintf("%.0f files: promised %.2f, kept %.2f", b.N, b.P, b.Used))
			}
		}
		c.line(series(i), points, notes)
	}
	c.legend(0, series(0), fmt.Sprintf("all files, ECE %.3f", all.ECE))
	c.legend(1, series(1), fmt.Sprintf("unseen files, ECE %.3f", unseen.ECE))
	return c.html()
}

// riskChart draws the precision of what is shown against the share of opens that it reaches, for each threshold.
func riskChart(all, unseen *Shown) string {
	c := newChart("Risk and coverage", "share of opens shown before", "precision of what is shown")
	for i, s := range []*Shown{all, unseen} {
		var points [][2]float64
		var notes []string
		for _, p := range s.Curve {
			if p.N > 0 {
				points = append(points, [2]float64{p.Coverage, p.Precision})
				notes = append(notes, fmt.Sprintf("from %.2f: %.0f files, precision %.2f, coverage %.2f", p.Threshold, p.N, p.Precision, p.Coverage))
			}
		}
		c.line(series(i), points, notes)
	}
	c.legend(0, series(0), "all files")
	c.legend(1, series(1), "unseen files")
	return c.html()
}

func series(i int) string { return fmt.Sprintf("s%d", i) }

// hitChart draws hit@k for aOa and the baselines.
func hitChart(title string, rows []pageRow, of func(Tasks) *Hits) string {
	c := newChart(title, "k: 1, 3, 5, 10", "hit@k")
	place := 0
	for i, r := range rows {
		h := of(r.T)
		if h == nil {
			continue
		}
		var points [][2]float64
		var notes []string
		for j, v := range []float64{h.Hit1, h.Hit3, h.Hit5, h.Hit10} {
			points = append(points, [2]float64{float64(j) / 3, v})
			notes = append(notes, fmt.Sprintf("%s: hit@%d %.2f", r.Name, hitAt[j].k, v))
		}
		c.line(series(i), points, notes)
		c.legend(place, series(i), r.Name)
		place++
	}
	return c.html()
}
