// Package fault has helpers that tests share: checks of errors, comparisons of values and files, logs
// that can be read, the number of rounds of a fault test, the result of a round, waiting for another
// process, and skipping when the machine lacks something.
//
// It reads the flags -rounds and -update, AOA_REQUIRE and AOA_SKIPPED. It counts skips, fails a
// test that must not be skipped, and prints one line per kind of fault for the table of
// scripts/dev/faults.sh. Only tests import the package.
package fault
