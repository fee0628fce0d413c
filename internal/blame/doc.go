// Package blame says where a line comes from: the commit, and the agent's edit that wrote the line,
// with the prompt of that turn and the check that was run afterwards.
//
// It takes a file and a range of its lines, and returns Origins, one for each run of lines with the
// same origin. git names the commit (watcher.Repo.Blame). The log names the edits of the file
// between the commit before and the recording of this one. Package reload has kept the texts of
// these edits. An edit is called the writer of a line only if its text has the line at this place;
// writer.go says when that is certain. Otherwise the answer only lists the sessions that edited the
// file at that time.
//
// The package never guesses: a line that two sessions may have written has no writer. It stores
// nothing. The answer lacks events that were forgotten, texts whose encryption key is lost, and
// edits that agents made in other clones.
package blame
