// Package blame says why a line is there: the commit that it comes from, and the agent's edit that
// wrote it, with the prompt of its turn and the check that came after.
//
// A file and some of its lines go in, Origins come out, one for lines that follow one another and
// have the same origin. git names the commit (watcher.Repo.Blame). The log names the edits of the
// file that were made after the commit of it before, and until that commit was recorded. Of these
// edits package reload has kept the texts, and one counts as the writer only if its text is where
// the line is (writer.go says when that is certain). In all other cases the answer is which
// sessions edited the file then, and no more.
//
// The package never guesses: a line that two sessions may have written has no writer. It stores
// nothing. What was forgotten, what was sealed with a key that is lost, and what agents did in
// other clones is not in the answer.
package blame
