// Package fault has what tests of faults share: how many rounds to run, the result of a round, waiting for another
// process, and what to do where the machine lacks something.
//
// The flag -rounds, AOA_REQUIRE and AOA_SKIPPED go in. Counted skips, failures where a skip is not allowed, and one
// line per kind of fault for the table of scripts/faults.sh come out. Only tests import the package.
package fault
