// Package report makes one HTML page of what aOa knows about a repository: which files belong
// together, hot spots, pairs of files in different folders, how accurate predictions were, how many
// tokens hints used, and recent changes with what aOa would have said about them.
//
// The input (Input) consists of events of the log, answers of the API, and an evaluation. New makes
// a Page of it, and Write prints the page. The page needs no other file: it contains its data as
// JSON, its script inserts every name as text, and its content security policy forbids every
// request and every other script. The package opens no file and asks no daemon. A page about 20,000
// commits takes about a second.
package report
