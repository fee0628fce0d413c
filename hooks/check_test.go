package hooks

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFailureLines: lines as the programs print them, those that name failures before the bar.
func TestFailureLines(t *testing.T) {
	for _, c := range []string{
		"|ok  \texample.com/a\t0.004s\nok  \texample.com/b\t(cached)",
		"--- FAIL: TestPool (0.00s)\n    --- FAIL: TestPool/empty (0.00s)\nFAIL|        a_test.go:5: x",
		"FAIL\texample.com/a [build failed]\nFAIL|# example.com/a\na.go:3:1: syntax error",
		"FAILED tests/test_a.py::test_add[1-2] - assert 1 == 2\nERROR tests/test_b.py\n=== 1 failed, 57 passed, 1 error in 1.20s ===|..F.",
		"|57 passed, 2 warnings in 0.12s\n57 tests collected in 0.03s\nERROR: file or directory not found: tests/b.py",
		"FAIL: test_add (test_a.TestA)\nFAILED (failures=1)|Ran 2 tests in 0.001s",
		"FAIL src/a.test.js\n    ✕ subtracts (5 ms)\nTests:       1 failed, 1 passed, 2 total|    ✓ adds (2 ms)",
		"\x1b[31m FAIL \x1b[0m src/a.test.ts > sums > subtracts\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed (4)|",
		"test pool::empty ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\nerror[E0308]: mismatched types|test pool::full ... ok",
		"  1 failing|  1 passing (5ms)",
		"1) Tests\\SumTest::testAdd\nTests: 3, Assertions: 5, Failures: 1.|Failed asserting.",
		"3 examples, 1 failure\nrspec ./spec/sum_spec.rb:4 # Sum adds|3 examples, 0 failures",
		"[ERROR]   SumTest.testAdd:12 expected 3\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0|[INFO] BUILD SUCCESS",
		"SumTest > adds FAILED\nBUILD FAILED in 3s|3 tests completed, 1 failed",
		"50% tests passed, 1 tests failed out of 2\n\t  2 - sum_test (Failed)|100% tests passed, 0 tests failed out of 2",
		"src/a.ts(3,5): error TS2322: Type 'string' is not assignable.\na.c:3:5: error: expected ';'\n✖ 3 problems (1 error, 2 warnings)|✖ 2 problems (0 errors, 2 warnings)",
		"|error: connection refused\nFAILED tests/a.py::test[password=hunter2" + strings.Repeat("x", 9) + "]\nFAIL " + strings.Repeat("x", 200),
		"FAIL\n--- FAIL: TestA\n--- FAIL: TestB|FAIL\n--- FAIL: TestC", // three, each once
	} {
		names, others, _ := strings.Cut(c, "|")
		if n := strings.Count(c, "|"); n > 1 {
			i := strings.LastIndexByte(c, '|')
			names, others = c[:i], c[i+1:]
		}
		var want []string
		for line := range strings.Lines(colors.ReplaceAllString(names, "")) {
			want = append(want, strings.TrimSpace(line))
		}
		fault.Same(t, c, failureLines(names+"\n"+others+"\n"), want)
	}
}
