// Package team exchanges events between the daemons of one repository's clones.
//
// Own events of the log go in and are appended to one stream of a Redis or Valkey server, as far as
// they may leave the machine. Events that others appended come out, checked like any foreign input,
// and go to the log. What a daemon forgets is deleted from the stream, and named there by digests,
// so that the others forget it too. How far the log was published and the stream read is kept in
// the log, so that a server that was emptied, restored or replaced is noticed: then own events are
// published again, and receivers drop what they know.
//
// The package never asks a question, never reads a file of the repository, and no question waits
// for it: a server that is slow or gone costs news. Who may write to the stream can give it any
// event: what that can do here is bounded by what decode takes and by the part of the log that is
// kept for other clones.
package team
