// Package report makes one HTML page of what aOa knows about a repository: which files belong
// together, hot spots, pairs across folders, how right predictions were, what hints cost, and
// recent changes with what aOa would have said.
//
// Events of the log, answers of the API and an evaluation go in (Input). A Page comes out, and
// Write prints it. The page stands alone: it holds its data as JSON, its script shows every name as
// text, and its policy forbids every request and every other script. The package opens no file and
// asks no daemon. A page of 20,000 commits takes about a second.
package report
