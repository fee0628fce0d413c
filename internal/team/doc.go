// Package team exchanges events between the daemons that serve clones of one repository.
//
// The daemon appends the events of its own log to a stream of a Redis or Valkey server; words of
// prompts and patterns are left out unless the settings allow them. It reads the events that other
// daemons appended, checks them like any foreign input, and adds them to the log. When a user has
// events forgotten, the daemon deletes them from the stream and appends an entry that names them by
// digests, so that the other daemons forget them too. The log stores which events were published
// and which entry was read last. So a server that was emptied, restored or replaced is noticed: the
// daemon then publishes its own events again, and the receivers drop those that they know.
//
// No question waits for this package, and it never reads a file of the repository: if the server is
// slow or gone, only the events of other clones are late. Anyone who may write to the stream can
// put any event into it. What such an event can do here is limited by the checks in decode, and by
// the share of the log that is reserved for other clones.
package team
