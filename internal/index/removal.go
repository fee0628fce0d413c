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
	used bool // another file that the change edits used the name before
	// Another file still defines the name, or does so now. Then only two kinds of uses are broken:
	// those that import it from this file, and those that write the name of this module in front of
	// it.
	elsewhere bool
	inTests   bool // a test still defines the name, so that other tests may import it from there
}

// removed returns the names that a change removes.
func removed(change []Changed) (out []*removal) {
	for i := range change {
		c := &change[i]
		if c.Was == nil {
			continue
		}
		inherits := c.Is != nil && c.Is.inheritsMore(c.Was)
		for name, d := range c.Was.defines {
			if c.Is != nil && c.Is.has(name) || d.member && inherits || !c.Was.lang.searches(name, d) {
				continue
			}
			r := &removal{name: name, in: c, definition: d}
			if r.elsewhere = r.keptBy(change); r.elsewhere && !r.fromModule() {
				continue
			}
			r.used = slices.ContainsFunc(change, func(o Changed) bool {
				return o.Was != nil && o.Is != nil && o.Path != c.Path && o.Was.mentions(name)
			})
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(x, y *removal) int {
		return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.in.Path, y.in.Path))
	})
	return out[:min(len(out), maxRemoved)]
}

// searches reports whether uses of a definition can be found: it is not private, and its name is neither
// short nor one of the language, of its compiler, or of its own objects.
func (l *language) searches(name string, d definition) bool {
	protocol := strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
	return len(name) >= minReference && l.Refers && !d.private && !protocol && !l.standard[name] && !(d.member && l.members[name])
}

// keptBy reports whether some file of the change still has the name. A use of a member may mean that of
// another type, unless the change renamed the definition. The member may also be kept under its old name,
// as an alias.
func (r *removal) keptBy(change []Changed) bool {
	is := r.in.Is
	anyUse := r.member && !(is != nil && is.renames(r.definition, r.in.Was) && !is.uses[r.name])
	if is != nil && is.star && !r.member && r.in.Was.lang.modules() {
		return true
	}
	return slices.ContainsFunc(change, func(o Changed) bool {
		return o.Is != nil && r.mayComeFrom(o.Path) && o.Is.keeps(r.name, anyUse || o.Path != r.in.Path)
	})
}

// mayComeFrom reports whether uses of the removed name can mean a definition in another file. In Go
// a definition in another package counts only if the name is a member.
func (r *removal) mayComeFrom(p event.Path) bool {
	return r.member || r.in.Was.lang != golang || p.Dir() == r.in.Path.Dir()
}

// fromModule reports whether a use that imports the removed name from this file is broken: the file
// neither has the name any more nor anything that may still provide it.
func (r *removal) fromModule() bool {
	is := r.in.Is
	return r.in.Was.lang.modules() && !r.member && is != nil && !is.mentions(r.name) &&
		!is.star && !is.has("__getattr__") && !(is.mentions("require") && is.mentions("exports"))
}

// ofTest reports whether a test defined the name, which a program does not use unless it imports it.
func (r *removal) ofTest(user event.Path) bool {
	return KindOf(r.in.Path) == KindTest && KindOf(user) != KindTest
}
