package eval

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// Score gathers what the table of one repository needs from its decisions.
type Score struct {
	T1      Turns
	T2, T3  Hits // predicted after the last event before the open's batch, among the files of the same stratum
	F2, F3  Hits // the same, predicted right after the previous file event
	All2    Hits // T2 among all files
	All3    Hits
	T4      Hits
	LeftOut int // opens that a prompt or a command had named
	Took    []float64
}

// Take counts one decision.
func (s *Score) Take(d *Decision) {
	list := make([]aoa.Path, len(d.Ranked))
	for i, f := range d.Ranked {
		list[i] = f.File
	}
	switch d.Query.Moment {
	case aoa.MomentPrompt:
		if len(d.Turn) > 0 {
			s.T1.add(slices.DeleteFunc(list, d.named), set(d.Turn))
		}
	case aoa.MomentChange:
		if d.Left != "" {
			s.T4.add(place(list, d.Left, every))
		}
	default:
		for _, o := range d.Next {
			among := func(f aoa.Path) bool { return d.Stratum(f) == o.Stratum }
			switch o.Stratum {
			case Unseen:
				s.T2.add(place(list, o.File, among))
				s.All2.add(place(list, o.File, every))
			case Seen:
				s.T3.add(place(list, o.File, among))
				s.All3.add(place(list, o.File, every))
			default:
				s.LeftOut++
			}
		}
		for _, o := range d.After {
			among := func(f aoa.Path) bool { return d.Stratum(f) == o.Stratum }
			switch o.Stratum {
			case Unseen:
				s.F2.add(place(list, o.File, among))
			case Seen: // by now nothing may have named it
				s.F3.add(place(list, o.File, func(f aoa.Path) bool { return d.Stratum(f) != Named }))
			}
		}
	}
}

// named reports whether the prompt that is asked at named the file.
func (d *Decision) named(f aoa.Path) bool { return d.Prompted[f] }

func every(aoa.Path) bool { return true }

func set(files []aoa.Path) map[aoa.Path]bool {
	out := make(map[aoa.Path]bool, len(files))
	for _, f := range files {
		out[f] = true
	}
	return out
}
