package main

import (
	"fmt"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/prefetch"
)

// proofHelp says how aoa stats proof compares.
const proofHelp = `"proof" compares hints that were shown with a share that aOa withholds by chance (the setting holdout):

  right      how many hints named a file that was then used, and how many of the withheld ones would have
  searches   searches and listings from a hint to the first open of a file that it named
  spent      tokens of the texts: written to the prompt cache once, read by each later request
  spared     fewer searches than withheld hints had, at what a search costs here, with a 95 % interval

The interval of "right" is Newcombe's for the difference of two shares. That of "spared" is a bootstrap over
sessions. What a search costs begins at a shipped estimate and moves to what is counted. A kind has a finding
when 100 shown and 30 withheld hints are resolved. Where hints lose, the finding says so. The newest wrong hints
are listed.`

func (a *app) printProof(p api.ProofAnswer) {
	if p.Holdout == 0 {
		a.talk("no hint is withheld now, so there is nothing to compare with")
		a.talk("hint: aoa config --unset holdout")
	}
	if len(p.Kinds) == 0 {
		a.noneYet("no hint was decided yet, so there is nothing to compare")
		a.printSearching(p.Searching)
		return
	}
	fmt.Fprintf(a.out, "%s with decisions on hints, from %s to %s\n\n", plural(p.Sessions, "session"), stamp(p.From),
		stamp(p.To))
	head := "kind\ttexts\tright\tif withheld\tsearches\tif withheld\tspent\tspared (95 %)\tfinding"
	printList(a, head, p.Kinds, func(k prefetch.KindProof) []any {
		searched, withheld := "-", "-"
		if k.Kind != prefetch.Partner && k.Shown.Resolved > 0 {
			searched = fmt.Sprintf("%.1f", k.Searched)
		}
		if k.Kind != prefetch.Partner && k.Withheld.Resolved > 0 {
			withheld = fmt.Sprintf("%.1f", k.SearchedWithheld)
		}
		return []any{k.Kind, k.Texts, share(k.Shown), share(k.Withheld), searched, withheld, count(int64(k.Spent)),
			tokens(k.Spared), k.Finding}
	})
	fmt.Fprintf(a.out, "\ntokens: %s spent", count(int64(p.Spent)))
	if p.Spared.Known {
		fmt.Fprintf(a.out, ", %s spared", tokens(p.Spared))
	}
	fmt.Fprintln(a.out)
	a.printSearching(p.Searching)
	a.findings(p.Kinds)
	if p.Decided > 0 {
		fmt.Fprintf(a.out, "\n%s of %s resolved hints named no file that was used", count(int64(p.Wrong)),
			count(int64(p.Decided)))
		if len(p.Losses) > 0 {
			fmt.Fprint(a.out, "; the newest:")
		}
		fmt.Fprintln(a.out)
	}
	printList(a, "", p.Losses, func(l prefetch.Loss) []any {
		opened := "opened nothing else"
		if len(l.Opened) > 0 {
			opened = "opened " + a.fileNames(l.Opened, ", ")
		}
		return []any{"  " + stamp(l.At), l.Kind, clip(l.Session, 8), "named " + a.fileNames(l.Named, ", "), opened}
	})
}

// printSearching says what searches cost, once some were counted.
func (a *app) printSearching(s prefetch.SearchEstimate) {
	if s.Searches+s.Turns > 0 {
		fmt.Fprintf(a.out, "searches and listings here: %s tokens each (%s counted), "+
			"%.1f before the first file of a turn (%s counted)\n",
			count(int64(s.PerSearch+.5)), count(s.Searches), s.PerTurn, plural(int(s.Turns), "turn"))
	}
}

// findings says in words what the evidence allows to say about each kind.
func (a *app) findings(kinds []prefetch.KindProof) {
	for _, k := range kinds {
		text := ""
		switch {
		case k.Lacking != nil:
			text = fmt.Sprintf("no finding yet: %s more shown and %s more withheld ones have to be resolved",
				count(k.Lacking.Shown), count(k.Lacking.Withheld))
		case k.Finding == "loses" && k.Kind == prefetch.Partner:
			text = "it loses: shown files are used no more often than withheld ones"
		case k.Finding == "loses":
			text = "it loses: it costs more tokens than it spares"
		case k.Finding == "helps" && k.Kind == prefetch.Partner:
			text = "it helps: shown files are used more often than withheld ones"
		case k.Finding == "helps":
			text = "it helps: it spares more tokens than it costs"
		default:
			text = "undecided: the interval allows both"
		}
		if k.Right.Known && k.Lacking == nil {
			text += fmt.Sprintf(" (right %+.0f points, %+.0f to %+.0f)", 100*k.Right.Value, 100*k.Right.Low, 100*k.Right.High)
		}
		fmt.Fprintf(a.out, "%s: %s\n", k.Kind, text)
	}
}

// share is "6 of 9 (67 %)", "-" without any.
func share(m prefetch.Tally) string {
	if m.Resolved == 0 {
		return "-"
	}
	return fmt.Sprintf("%s of %s (%.0f %%)", count(m.Used), count(m.Resolved), 100*float64(m.Used)/float64(m.Resolved))
}

// tokens is an interval of tokens, "-" if it is not known.
func tokens(i prefetch.Lift) string {
	if !i.Known {
		return "-"
	}
	return fmt.Sprintf("%s (%s to %s)", count(int64(i.Value)), count(int64(i.Low)), count(int64(i.High)))
}
