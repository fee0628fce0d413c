package watcher

import (
	"errors"
	"fmt"
	"syscall"
)

// budget is how many of the system's watches a Watcher takes: at most half of those that were free at its start. The others
// are for other programs of the user and other repositories.
type budget struct {
	most int // watches of a user; 0: unknown, only the system's refusal is a bound
	free int
}

// budgetError is why not every folder is watched. The system did not refuse.
type budgetError struct{ free int }

func (e budgetError) Error() string {
	return fmt.Sprintf("aOa takes at most half of the file watches that are free, and %d were", e.free)
}

var errMaxWatches = errors.New("the number of files that may be open is used up")

// measureBudget reads how many watches of the system are free. own are those that the Watcher has already.
func (w *Watcher) measureBudget(own int) {
	w.budget = budget{most: w.maxUserWatches()}
	if w.budget.most > 0 {
		w.budget.free = max(w.budget.most-w.usedWatches()+own, 0)
	}
}

// renewBudget reads that again when the system's limit was changed.
func (w *Watcher) renewBudget() {
	if w.src.add != nil && w.maxUserWatches() != w.budget.most {
		w.measureBudget(w.watches + len(w.gitDirs))
	}
}

// overBudget is why n more watches are too many, nil if they are not.
func (w *Watcher) overBudget(n int) error {
	if w.budget.most > 0 && w.watches+len(w.gitDirs)+n > w.budget.free/2 {
		return budgetError{w.budget.free}
	}
	return nil
}

// hintFor is the command that gives more watches, "" where none is known.
func (w *Watcher) hintFor(err error) string {
	switch {
	case w.budget.most > 0 && (errors.As(err, &budgetError{}) || errors.Is(err, syscall.ENOSPC)):
		return fmt.Sprintf("sudo sysctl fs.inotify.max_user_watches=%d", max(524288, 2*w.budget.most))
	case w.budget.most > 0 && errors.Is(err, syscall.EMFILE):
		return "sudo sysctl fs.inotify.max_user_instances=1024, then aoa daemon stop and aoa daemon start"
	}
	return ""
}
