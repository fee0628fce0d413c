// Package fault is what tests of faults share: how many rounds to go, what a round came to, and what to do where the
// machine lacks something.
//
// In come the flag -rounds, AOA_REQUIRE and AOA_SKIPPED; out go skips that are counted, failures where skipping is not
// allowed, and one line per kind of fault that scripts/faults.sh gathers into a table. Only tests import it.
package fault
