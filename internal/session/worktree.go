package session

import (
	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
)

// Worktree is the present state of a worktree. The zero value is an unknown state: then only the log is used.
type Worktree struct {
	Known   bool
	Branch  string       // its short name, "" when detached
	Head    string       // the commit's id, "" before the first
	Changed []event.Path // files that differ from HEAD
	// hash of the content of each file that was asked for, "" where there is none; nil: not read
	Files map[event.Path]string
}

// stamp is the state that a summary depends on: HEAD and the content of the files in use.
type stamp struct {
	Head  string                `json:"head,omitempty"`
	Files map[event.Path]string `json:"files,omitempty"`
}

// stampOf is the stamp of a state.
func stampOf(st Worktree, held []event.Path) stamp {
	s := stamp{Head: st.Head, Files: map[event.Path]string{}}
	for _, f := range held {
		if h, asked := st.Files[f]; asked {
			s.Files[f] = h
		}
	}
	return s
}

// valid reports whether a summary is still right: HEAD is the same, and others have changed no file that it depends
// on. What the session itself changed since is in its own actions, and so is a HEAD that it moved itself.
func (s stamp) valid(st Worktree, since []Action) bool {
	if !st.Known {
		return true // nothing contradicts it
	}
	own, moved := map[event.Path]bool{}, false
	for _, a := range since {
		for _, f := range a.Paths {
			own[f] = own[f] || a.Verb != "read" && a.Verb != "refused"
		}
		if c, ends := a.border(); ends {
			if moved = true; c.Class != shell.Commit {
				return true // it may have changed any file
			}
		}
	}
	if !moved && s.Head != st.Head {
		return false
	}
	for f, h := range s.Files {
		if now, asked := st.Files[f]; asked && !own[f] && now != h {
			return false
		}
	}
	return true
}
