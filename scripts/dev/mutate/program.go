package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// program is a package that contains many mutants; the environment variable MUTANT chooses one of
// them. It is compiled once for all of them. Mutants that cannot be chosen at run time, such as the
// value of a const, are compiled separately.
type program struct {
	*source
	mutants []mutant // the number of a mutant is its index here plus one
}

// choices are the functions of choice.go for each operator.
var choices = map[token.Token]string{token.ADD: "mutantSum", token.SUB: "mutantDifference", token.MUL: "mutantProduct",
	token.QUO: "mutantQuotient", token.LSS: "mutantLess", token.LEQ: "mutantAtMost", token.GTR: "mutantGreater",
	token.GEQ: "mutantAtLeast"}

//go:embed choice.go.txt
var choice string

// add adds the mutant if it can be combined with those that the program already has, and reports
// whether it did.
func (p *program) add(m mutant) bool {
	p.mutants = append(p.mutants, m)
	if p.compiles(p.changed(m.file)) {
		return true
	}
	p.mutants = p.mutants[:len(p.mutants)-1]
	return false
}

// changed returns the new texts of those files that have mutants, and of one more file, which
// chooses among them. With names, it returns only these files and the one more.
func (p *program) changed(names ...string) map[string]string {
	changed := map[string]string{
		filepath.Join(p.dir, "mutant_choice.go"): strings.Replace(choice, "package choice", "package "+p.pkg, 1)}
	for i, name := range p.names {
		if len(names) == 0 || slices.Contains(names, name) {
			changed[name] = p.rewritten(name, p.texts[i])
		}
	}
	return changed
}

// edit is a text that takes the place of the bytes of a file from at to end. Of several edits at
// one place, those of rank -1 close what was opened before it, and those of rank 1 open what comes.
type edit struct {
	at, end, rank int
	other         int // where the text ends that is opened or closed here
	inner         int // Of two edits with the same ends, the one with the larger number is the inner one.
	text          string
}

// rewritten returns the text of a file with the choices of its mutants.
func (p *program) rewritten(name, text string) string {
	var edits []edit
	for i, m := range p.mutants {
		if m.file != name {
			continue
		}
		n := i + 1
		before := strings.Replace(m.before, "#", strconv.Itoa(n), 1)
		if m.between != "" {
			n += len(p.mutants) // A call encloses everything else that is written around the same expression.
		}
		edits = append(edits, edit{m.from, m.from, 1, m.to, n, before}, edit{m.to, m.to, -1, m.from, n, m.after})
		if m.between != "" {
			edits = append(edits, edit{at: m.start, end: m.end, text: m.between})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank), cmp.Compare(b.other, a.other),
			a.rank*cmp.Compare(a.inner, b.inner)) // The outer edits open first and close last.
	})
	var b strings.Builder
	at := 0
	for _, e := range edits {
		fmt.Fprint(&b, text[at:e.at], e.text)
		at = e.end
	}
	return b.String() + text[at:]
}
