package recorded

import "github.com/aoa-dev/aoa/internal/event"

// manyFound is the largest number of files that a search may find and still help.
const manyFound = 30

// Search is a search that failed (T6): it found no file, or more than 30. A search in one named
// file is ignored.
type Search struct {
	Nothing bool // whether it found no file
	// the files that the turn opens next, together if they were requested together; none if it opens
	// nothing
	Opened []event.Path
}

// search returns the failed search of a unit, nil if none failed.
func (u *unit) search() *Search {
	if u == u.session.idle || !u.session.records || u.hasFiles() {
		return nil
	}
	s := Search{Nothing: true}
	asked, many := false, false
	for _, e := range u.events {
		s.Nothing = s.Nothing && len(e.Seen()) == 0
		if e.Kind() == event.KindSearch && len(e.Named()) == 0 {
			asked, many = true, many || len(e.Seen()) > manyFound
		}
	}
	if !asked || !s.Nothing && !many {
		return nil
	}
	for _, v := range u.session.units[u.place+1:] {
		if v.prompt() != nil {
			break
		}
		for _, o := range v.opens {
			s.Opened = append(s.Opened, o.File)
		}
		if len(s.Opened) > 0 {
			break
		}
	}
	return &s
}
