package index

import (
	"bytes"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Edit is a name in the lines that a change removes from a file or adds to it. Names are those of Document: names that
// the file defines, and names of two or more words that it uses, before or after the change.
type Edit struct {
	Name           string // in plain form
	Text           string // as the file writes it
	Removed, Added bool   // a line with it was removed, was added
	Gone           bool   // the file had it and has it no more
	Defined        bool   // the file defined it before
	Defines        bool   // the file defines it now
}

// MaxEdited is how many bytes a file may have, before and after, whose edits are found.
const MaxEdited = 200_000

// Bounds of the edits of a file.
const (
	maxEdits      = 400 // names
	minEditedName = 3   // bytes
)

// Edits compares two versions of a file line by line, without the space around a line. A line that moved is no edit.
// Binary files and files of more than 200,000 bytes have no edits. before is nil for a new file, after for a deleted
// one.
func Edits(p event.Path, before, after []byte) []Edit {
	if len(before) > MaxEdited || len(after) > MaxEdited || bytes.Equal(before, after) || bytes.IndexByte(before, 0) >= 0 ||
		bytes.IndexByte(after, 0) >= 0 {
		return nil
	}
	old, now := namesIn(Extract(p, before)), namesIn(Extract(p, after))
	removed, added := differentLines(before, after)
	var out []Edit
	at := map[string]int{}
	take := func(lines [][]byte, mark func(*Edit)) {
		for _, line := range lines {
			for token := range bytes.FieldsFuncSeq(line, outsideIdentifier) {
				name := plainIdentifier(string(token))
				_, was := old[name]
				_, is := now[name]
				if len(token) < minEditedName || len(token) > maxIdentifier || !was && !is {
					continue
				}
				i, known := at[name]
				if !known {
					if i = len(out); i == maxEdits {
						return
					}
					at[name] = i
					out = append(out, Edit{Name: name, Text: string(token), Gone: was && !is, Defined: old[name], Defines: now[name]})
				}
				mark(&out[i])
			}
		}
	}
	take(removed, func(e *Edit) { e.Removed = true })
	take(added, func(e *Edit) { e.Added = true })
	return out
}

// namesIn are the names of a document, and whether it defines them.
func namesIn(d Document) map[string]bool {
	names := make(map[string]bool, len(d.Defines)+len(d.Uses))
	for _, n := range slices.Concat(d.Uses, d.Mentions) {
		names[n] = false
	}
	for _, n := range d.Defines {
		names[n] = true
	}
	return names
}

// differentLines are the lines that only one of two texts has, or has more often.
func differentLines(before, after []byte) (removed, added [][]byte) {
	count := map[string]int{}
	for line := range bytes.SplitSeq(before, []byte{'\n'}) {
		count[string(bytes.TrimSpace(line))]++
	}
	for line := range bytes.SplitSeq(after, []byte{'\n'}) {
		if line = bytes.TrimSpace(line); count[string(line)] > 0 {
			count[string(line)]--
		} else {
			added = append(added, line)
		}
	}
	for line := range bytes.SplitSeq(before, []byte{'\n'}) {
		if line = bytes.TrimSpace(line); count[string(line)] > 0 {
			count[string(line)]--
			removed = append(removed, line)
		}
	}
	return removed, added
}

// User is a file that has a name.
type User struct {
	Path    event.Path
	Defines bool // it defines the name
}

// Users returns the files that have a name in plain form, none if there are more than most.
func (c *Contents) Users(name string, most int) (users []User) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for file, u := range c.having(name) {
		if len(users) == most {
			return nil
		}
		users = append(users, User{c.documents[file].path, u.defines()})
	}
	return users
}
