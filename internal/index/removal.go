package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// removal is a name that the change no longer defines in a file.
type removal struct {
	name string
	in   *Changed
	definition
	users int // files that the change keeps, that used the name before, and that no longer do
	// Another file still defines the name, or does so now. Then only two kinds of uses are broken:
	// those that import it from this file, and those that write the name of this module in front of
	// it.
	elsewhere bool
	fields    bool // another file has a field of that name, so that a use may mean that one
	inTests   bool // a test still defines the name, so that other tests may import it from there
}

// removed returns the names that a change removes.
func (b *breaking) removed(change []Changed) (out []*removal) {
	for i := range change {
		c := &change[i]
		if c.Was == nil {
			continue
		}
		inherits := c.Is != nil && c.Is.inheritsMore(c.Was)
		for name, d := range c.Was.defines {
			lang := c.Was.lang
			if c.Is != nil && c.Is.has(name) {
				continue // most names; what follows takes longer
			}
			protocol := strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") // of the language or its compiler
			if d.private || protocol || d.member && (inherits || lang.members[name]) || !lang.Refers || lang.standard[name] {
				continue
			}
			r := &removal{name: name, in: c, definition: d}
			// A use of a member may mean that of another type, unless the change renamed the type.
			// The member may also be kept under its old name, as an alias.
			other := d.member && !(c.Is != nil && c.Is.renames(d, c.Was) && !c.Is.uses[name])
			if slices.ContainsFunc(change, func(o Changed) bool {
				return o.Is != nil && r.mayComeFrom(o.Path) && (o.Is.keeps(name, other || o.Path != c.Path) ||
					o.Path == c.Path && o.Is.star && lang.modules() && !d.member)
			}) {
				if r.elsewhere = r.fromModule(); !r.elsewhere {
					continue
				}
			}
			for _, o := range change {
				if o.Was != nil && o.Is != nil && o.Path != c.Path && o.Was.mentions(name) {
					r.users++
				}
			}
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(x, y *removal) int {
		return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.in.Path, y.in.Path))
	})
	return out[:min(len(out), maxRemoved)]
}

// mayComeFrom reports whether uses of the removed name can mean a definition in another file. In Go
// a definition in another package counts only if the name is a member.
func (r *removal) mayComeFrom(p event.Path) bool {
	return r.member || r.in.Was.lang != golang || p.Dir() == r.in.Path.Dir()
}

// modules reports whether the language says for each name from which file it comes, and lets a file
// pass on the names of other files as its own.
func (l *language) modules() bool { return l == python || l == script }

// fromModule reports whether a use that imports the removed name from this file is broken: the file
// neither has the name any more nor anything that may still provide it.
func (r *removal) fromModule() bool {
	is := r.in.Is
	return r.in.Was.lang.modules() && !r.member && is != nil && !is.has(r.name) && !is.mentions(r.name) &&
		!is.star && !is.has("__getattr__") && !(is.mentions("require") && is.mentions("exports"))
}

// ofTest reports whether a test defined the name, which a program does not use unless it imports it.
func (r *removal) ofTest(user event.Path) bool {
	return KindOf(r.in.Path) == KindTest && KindOf(user) != KindTest
}
