package prefetch

import (
	"cmp"
	"path"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Rescuer finds the file that a failed access meant.
type Rescuer struct {
	Tree    *index.Tree
	Renamed func(event.Path) (event.Path, bool) // the first later name of a file that exists; nil knows none
}

// entrances are the files that stand for their folder, in the order in which they are looked for.
var entrances = []string{"index.ts", "index.tsx", "index.js", "index.jsx", "mod.rs", "lib.rs", "main.rs", "__init__.py",
	"main.go", "doc.go",
	"SKILL.md", "README.md", "readme.md"}

// Rescue returns the one tracked file that an access to a path that is missing or a folder meant, with the
// reason in words; ok is false when none or several may be meant, for a wrong answer is worse than none. why is how
// the access failed. It looks up names only: microseconds.
func (r Rescuer) Rescue(wrong event.Path, why event.Failure) (s event.Suggestion, ok bool) {
	if r.Tree == nil || wrong == "" || r.Tree.Has(wrong) {
		return s, false
	}
	found := func(f event.Path, text string) (event.Suggestion, bool) {
		r := event.Reason{Signal: string(Rescue), Value: 1, Weight: 1, Text: text, With: wrong}
		return event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{r}}, true
	}
	switch why {
	case event.FailDir:
		if f, ok := r.entrance(wrong); ok {
			return found(f, wrong.Display()+" is a folder")
		}
	case "missing":
		if r.Renamed != nil {
			if f, ok := r.Renamed(wrong); ok && r.Tree.Has(f) {
				return found(f, wrong.Display()+" was renamed")
			}
		}
		if f, ok := nearest(wrong, r.Tree.Base(wrong.Base())); ok {
			return found(f, wrong.Display()+" does not exist, this is the tracked file of that name")
		}
		if f, ok := r.variant(wrong); ok {
			return found(f, wrong.Display()+" does not exist, this file has that name in another form")
		}
		if f, ok := r.misspelled(wrong); ok {
			return found(f, wrong.Display()+" does not exist, this file has nearly that name")
		}
	}
	return s, false
}

// entrance is the file that stands for a folder: one of the usual names, one named like the folder, or the only one
// but for tests.
func (r Rescuer) entrance(dir event.Path) (event.Path, bool) {
	files := r.Tree.Dir(string(dir))
	if len(files) == 1 {
		return files[0], true
	}
	for _, name := range entrances {
		if f := event.Path(path.Join(string(dir), name)); r.Tree.Has(f) {
			return f, true
		}
	}
	source := func(f event.Path) bool { return !strings.Contains(f.Base(), "test") }
	if f, ok := only(files, func(f event.Path) bool { return source(f) && f.Stem() == strings.ToLower(dir.Base()) }); ok {
		return f, true
	}
	return only(files, source)
}

// nearest is the only file of a name, or the one that shares more of its last folders with the wrong path than all
// others. A name that every folder may have, such as index.ts, says nothing by itself: its only file has to be in a
// folder above, or to share one.
func nearest(wrong event.Path, same []event.Path) (event.Path, bool) {
	if len(same) == 1 {
		f := same[0]
		common := f.PairStem() != f.Stem()
		above := f.Dir() == "" || strings.HasPrefix(string(wrong), f.Dir()+"/")
		return f, !common || above || commonEnd(wrong, f) > 1
	}
	var best event.Path
	most, tie := 0, false
	for _, f := range same {
		n := commonEnd(wrong, f)
		switch {
		case n > most:
			best, most, tie = f, n, false
		case n == most:
			tie = true
		}
	}
	return best, best != "" && !tie && most > 1
}

// commonEnd counts the names that two paths have in common from the end: the file name counts one.
func commonEnd(a, b event.Path) int {
	x, y := strings.Split(string(a), "/"), strings.Split(string(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// variant is the only file in the same folder with the same name but for an extension of the same family, or with the
// same path but for the case of its letters.
func (r Rescuer) variant(wrong event.Path) (event.Path, bool) {
	if family := families[wrong.Ext()]; family != "" && !strings.HasPrefix(wrong.Base(), ".") {
		f, ok := only(r.Tree.Dir(wrong.Dir()), func(f event.Path) bool {
			return trunk(f) == trunk(wrong) &&
				families[f.Ext()] == family
		})
		if ok {
			return f, true
		}
	}
	if f, ok := only(r.Tree.Stem(wrong), func(f event.Path) bool {
		return strings.EqualFold(string(f), string(wrong))
	}); ok {
		return f, true
	}
	if f, ok := r.moduleForm(wrong); ok {
		return f, true
	}
	// The only file of that name in another folder, with an extension of the same family.
	if wrong.PairStem() != wrong.Stem() || strings.HasPrefix(wrong.Base(), ".") || families[wrong.Ext()] == "" {
		return "", false
	}
	return only(r.Tree.Stem(wrong), func(f event.Path) bool {
		return trunk(f) == trunk(wrong) && families[f.Ext()] == families[wrong.Ext()]
	})
}

// trunk is the last name of a path without its extension.
func trunk(f event.Path) string { return strings.TrimSuffix(f.Base(), path.Ext(f.Base())) }

// moduleForm finds X/index.ts in place of X.ts, X/__init__.py of X.py and X/mod.rs of X.rs, and the reverse.
func (r Rescuer) moduleForm(wrong event.Path) (event.Path, bool) {
	entrance := map[string]string{".js": "index", ".py": "__init__", ".rs": "mod"}[cmp.Or(families[wrong.Ext()], wrong.Ext())]
	if entrance == "" {
		return "", false
	}
	dir, name := path.Join(wrong.Dir(), trunk(wrong)), entrance
	if trunk(wrong) == entrance {
		dir, name = event.Path(wrong.Dir()).Dir(), event.Path(wrong.Dir()).Base()
	}
	return only(r.Tree.Dir(dir), func(f event.Path) bool {
		return trunk(f) == name && cmp.Or(families[f.Ext()], f.Ext()) == cmp.Or(families[wrong.Ext()], wrong.Ext())
	})
}

// misspelled is the only file that differs from the wrong path in one name: by one letter, or as singular and plural.
// Names that differ by a digit are different things.
func (r Rescuer) misspelled(wrong event.Path) (event.Path, bool) {
	if f, ok := only(r.Tree.Dir(wrong.Dir()), func(f event.Path) bool {
		return f.Ext() == wrong.Ext() && nearly(trunk(f), trunk(wrong))
	}); ok {
		return f, true
	}
	parts := strings.Split(string(wrong), "/")
	return only(r.Tree.Base(wrong.Base()), func(f event.Path) bool {
		have := strings.Split(string(f), "/")
		differ := -1
		for i := range have {
			if len(have) != len(parts) || have[i] != parts[i] && differ >= 0 {
				return false
			}
			if have[i] != parts[i] {
				differ = i
			}
		}
		return differ >= 0 && nearly(have[differ], parts[differ])
	})
}

// leastName is the length, in bytes, below which two names that differ by a letter are two names.
const leastName = 4

// nearly reports whether two names differ by a plural, or by one letter that is wrong, missing, too much, or swapped with
// the next.
func nearly(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == b || len(a) < leastName-1 || len(b)-len(a) > 2 {
		return false
	}
	if b == a+"s" || b == a+"es" || strings.TrimSuffix(a, "y")+"ies" == b {
		return true
	}
	i, n := 0, 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	for n < len(a)-i && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	restA, restB := a[i:len(a)-n], b[i:len(b)-n]
	if len(a) < leastName || strings.ContainsAny(restA+restB, "0123456789") {
		return false
	}
	return len(restA) <= 1 && len(restB) <= 1 ||
		len(restA) == 2 && len(restB) == 2 && restA[0] == restB[1] && restA[1] == restB[0]
}

// families are the extensions that one file may have in another repository, or had before: extension → the family's
// first one.
var families = func() map[string]string {
	m := map[string]string{}
	for _, family := range []string{".js .jsx .mjs .cjs .ts .tsx .mts .cts", ".c .cc .cpp .cxx", ".h .hh .hpp .hxx",
		".py .pyi", ".kt .kts",
		".yml .yaml", ".json .jsonc .json5", ".md .mdx .markdown .rst .adoc", ".htm .html", ".css .scss .sass .less", ".jpg .jpeg"} {
		exts := strings.Fields(family)
		for _, ext := range exts {
			m[ext] = exts[0]
		}
	}
	return m
}()

func only(files []event.Path, fits func(event.Path) bool) (found event.Path, ok bool) {
	for _, f := range files {
		if fits(f) {
			if found != "" {
				return "", false
			}
			found = f
		}
	}
	return found, found != ""
}
