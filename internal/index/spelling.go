package index

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/aoa-dev/aoa/internal/event"
)

// meant returns the only file that a path may mean by one rule, Base or a later one. No file has
// that path.
func (t *Tree) meant(wrong event.Path, rung Rung) (event.Path, bool) {
	switch rung {
	case Base:
		return t.namesake(wrong)
	case Form:
		return t.otherForm(wrong)
	case Spelling:
		return t.misspelled(wrong)
	}
	return "", false
}

// namesake returns the only file with the same base name, or the one that shares more of its last
// folders with the wrong path than all others. A base name that every folder may have, such as
// index.ts, is not enough: the only file with it has to be in a folder above, or to share a folder.
func (t *Tree) namesake(wrong event.Path) (best event.Path, ok bool) {
	same := t.Base(wrong.Base())
	parts := strings.Split(string(wrong), "/")
	if len(same) == 1 {
		f := same[0]
		common := f.PairStem() != f.Stem()
		above := f.Dir() == "" || strings.HasPrefix(string(wrong), f.Dir()+"/")
		return f, !common || above || commonEnd(string(f), parts) > 1
	}
	most, tie := 0, false
	for _, f := range same {
		switch n := commonEnd(string(f), parts); {
		case n > most:
			best, most, tie = f, n, false
		case n == most:
			tie = true
		}
	}
	return best, best != "" && !tie && most > 1
}

// otherForm returns the only file in the same folder whose name differs only in an extension of the
// same family; or the only one whose path differs only in the case of letters; or the module with
// the same path; or the only file with that name and the same family of extensions in another
// folder.
func (t *Tree) otherForm(wrong event.Path) (event.Path, bool) {
	family := families[wrong.Ext()]
	hidden := strings.HasPrefix(wrong.Base(), ".")
	alike := func(f event.Path) bool { return trunk(f) == trunk(wrong) && families[f.Ext()] == family }
	if family != "" && !hidden {
		if f, ok := only(t.Dir(wrong.Dir()), alike); ok {
			return f, true
		}
	}
	cased := func(f event.Path) bool { return strings.EqualFold(string(f), string(wrong)) }
	if f, ok := only(t.Stem(wrong), cased); ok {
		return f, true
	}
	if f, ok := t.moduleForm(wrong); ok {
		return f, true
	}
	if wrong.PairStem() != wrong.Stem() || hidden || family == "" {
		return "", false
	}
	return only(t.Stem(wrong), alike)
}

// moduleForm finds X/index.ts for X.ts, X/__init__.py for X.py and X/mod.rs for X.rs, and the
// reverse.
func (t *Tree) moduleForm(wrong event.Path) (event.Path, bool) {
	language := func(f event.Path) string { return cmp.Or(families[f.Ext()], f.Ext()) }
	if moduleFile(wrong) {
		dir := event.Path(wrong.Dir())
		return only(t.Dir(dir.Dir()), func(f event.Path) bool {
			return trunk(f) == dir.Base() && language(f) == language(wrong)
		})
	}
	return only(t.Dir(path.Join(wrong.Dir(), trunk(wrong))), func(f event.Path) bool {
		return moduleFile(f) && language(f) == language(wrong)
	})
}

// misspelled returns the only file whose path differs from the wrong one in one name: by one
// letter, or by singular and plural. Names that differ in a digit are different names.
func (t *Tree) misspelled(wrong event.Path) (event.Path, bool) {
	if f, ok := only(t.Dir(wrong.Dir()), func(f event.Path) bool {
		return f.Ext() == wrong.Ext() && nearly(trunk(f), trunk(wrong))
	}); ok {
		return f, true
	}
	parts := strings.Split(string(wrong), "/")
	return only(t.Base(wrong.Base()), func(f event.Path) bool {
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

// leastName is the least length, in bytes, of two names that differ in one letter and may be the
// same name.
const leastName = 4

// nearly reports whether two names differ only by a plural, or by one letter that is wrong,
// missing, superfluous, or swapped with the next.
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

// CalledLike returns the files whose name, with or without its extension, equals plain (see
// PlainName), and those whose name nearly does. It reads the names of all files, which takes
// milliseconds.
func (t *Tree) CalledLike(plain string) (called, almost []event.Path) {
	for _, f := range t.All() {
		base, stem := PlainName(f.Base()), PlainName(trunk(f))
		switch {
		case base == plain || stem == plain:
			called = append(called, f)
		case nearly(base, plain) || nearly(stem, plain):
			almost = append(almost, f)
		}
	}
	return called, almost
}

// PlainName returns a name in lower case without "_" and "-", so that names in different styles are
// equal.
func PlainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// Near returns at most n files that a person may have meant by a name that means no file. It first
// looks for a file with another form or nearly the same path; then for the paths with the fewest
// slips, comparing as many of their last folders as the name has; then for files that are called
// alike.
func (l *Locator) Near(name string, n int) []event.Path {
	wrong := l.wrong(name)
	if l.Tree == nil || wrong == "" || l.Tree.Has(wrong) {
		return nil
	}
	for _, rung := range [...]Rung{Form, Spelling} {
		if p, ok := l.Tree.meant(wrong, rung); ok {
			return []event.Path{p}
		}
	}
	var out []event.Path
	count := map[event.Path]int{} // of slips
	parts := strings.Split(strings.ToLower(cleanName(WithoutLine(name))), "/")
	for _, p := range l.Tree.All() {
		if n := slips(parts, strings.ToLower(string(p))); n <= maxSlips {
			out = append(out, p)
			count[p] = n
		}
	}
	slices.SortFunc(out, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	if len(out) == 0 {
		out = slices.Sorted(slices.Values(l.Tree.Base(wrong.Base())))
	}
	return out[:min(len(out), n)]
}

// A slip is a letter that is wrong, missing or superfluous. Two swapped letters are two slips.
const (
	maxSlips = 2 // slips in a whole path
	oneSlip  = 3 // a name of at least this many bytes may have one slip
	twoSlips = 5 // … and one of at least this many may have two
)

// slips counts the slips between parts and the last parts of a path. The result is more than
// maxSlips if there are too many. The last part may lack its extension.
func slips(parts []string, name string) (sum int) {
	for i := len(parts) - 1; i >= 0 && sum <= maxSlips; i-- {
		at := strings.LastIndexByte(name, '/')
		part := name[at+1:]
		if i == len(parts)-1 && !strings.Contains(parts[i], ".") {
			part = strings.TrimSuffix(part, path.Ext(part))
		}
		sum += apart(parts[i], part)
		if name = name[:max(at, 0)]; at < 0 && i > 0 {
			return maxSlips + 1
		}
	}
	return sum
}

// apart counts the slips between two names. Most pairs are ruled out by their lengths and letters
// before they are compared.
func apart(a, b string) int {
	if a == b {
		return 0
	}
	most := 0
	switch n := min(len(a), len(b)); {
	case n >= twoSlips:
		most = 2
	case n >= oneSlip:
		most = 1
	}
	if n := len(a) - len(b); n > most || -n > most || bits.OnesCount64(letterSet(a)^letterSet(b)) > 2*most {
		return maxSlips + 1
	}
	if n := fuzzy.LevenshteinDistance(a, b); n <= most {
		return n
	}
	return maxSlips + 1
}

// letterSet returns the set of bytes in a word, folded into 64 bits.
func letterSet(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

// families groups extensions that the same file may have in another repository or may have had
// before. It maps each extension to the first one of its family.
var families = func() map[string]string {
	m := map[string]string{}
	for _, family := range []string{".js .jsx .mjs .cjs .ts .tsx .mts .cts", ".c .cc .cpp .cxx", ".h .hh .hpp .hxx",
		".py .pyi", ".kt .kts", ".yml .yaml", ".json .jsonc .json5", ".md .mdx .markdown .rst .adoc", ".htm .html",
		".css .scss .sass .less", ".jpg .jpeg"} {
		exts := strings.Fields(family)
		for _, ext := range exts {
			m[ext] = exts[0]
		}
	}
	return m
}()

// trunk returns the base name of a path without its extension.
func trunk(f event.Path) string { return strings.TrimSuffix(f.Base(), path.Ext(f.Base())) }

// only returns the one of the files that fits; ok is false if none or several do.
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
