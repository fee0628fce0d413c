// Package fault has what tests share: to end at an error, to compare values and files, how many
// rounds of faults to run, the result of a round, waiting for another process, and what to do where
// the machine lacks something.
//
// The flags -rounds and -update, AOA_REQUIRE and AOA_SKIPPED go in. Counted skips, failures where a
// skip is not allowed, and one line per kind of fault for the table of scripts/dev/faults.sh come
// out. Only tests import the package.
package fault
