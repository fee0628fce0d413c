package event

import "time"

// ChangeSet is what one commit changed, under the names that the files have now.
type ChangeSet struct {
	ID    int64 // the same for the same commit, within one store
	Time  time.Time
	Files []Path // each once
}
