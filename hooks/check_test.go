package hooks

import (
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestCheckResult: outputs as the programs print them, with what they say.
func TestCheckResult(t *testing.T) {
	const passed, failed = event.CheckPassed, event.CheckFailed
	for _, c := range []struct {
		command, output string
		result          event.Check
		failing         []string
	}{
		{"go test ./...", "ok  \texample.com/a\t0.004s\nok  \texample.com/b\t(cached)\n", passed, nil},
		{"go test ./...", "--- FAIL: TestPool (0.00s)\n    --- FAIL: TestPool/empty (0.00s)\n        a_test.go:5: x\nFAIL\nFAIL\texample.com/a\t0.003s\nok  \texample.com/b\t0.1s\nFAIL\n",
			failed, []string{"TestPool", "TestPool/empty"}},
		{"go test ./...", "# example.com/a\na.go:3:1: syntax error\nFAIL\texample.com/a [build failed]\nFAIL\n", failed, nil},
		{"go test ./... | tail -1", "?   \texample.com/c\t[no test files]\n", "", nil},
		{"go build ./...", "", "", nil},
		{"pytest", "..F.\n=== short test summary info ===\nFAILED tests/test_a.py::test_add[1-2] - assert 1 == 2\nERROR tests/test_b.py\n=== 1 failed, 57 passed, 1 error in 1.20s ===\n",
			failed, []string{"tests/test_a.py::test_add[1-2]", "tests/test_b.py"}},
		{"pytest -q", "57 passed, 2 warnings in 0.12s\n", passed, nil},
		{"pytest -q", "2 skipped, 3 passed in 0.12s\n", passed, nil},
		{"pytest --collect-only", "tests/test_a.py::test_add\n\n57 tests collected in 0.03s\n", "", nil},
		{"pytest tests/b.py", "\nno tests ran in 0.01s\nERROR: file or directory not found: tests/b.py\n", event.CheckNone, nil},
		{"pytest -q", "/bin/bash: line 1: pytest: command not found\n", event.CheckNone, nil},
		{"npm test", "sh: 1: jest: not found\n", event.CheckNone, nil},
		{"pytest", "a.py::test_x FAILED\nERROR: file not found: x\n=== 1 failed in 0.1s ===\n", failed, nil},
		{"pytest --version", "pytest 8.3.2\n", "", nil},
		{"python -m unittest", "F.\n======\nFAIL: test_add (test_a.TestA)\n------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n", failed,
			[]string{"test_add (test_a.TestA)"}},
		{"python -m unittest", "..\n------\nRan 2 tests in 0.001s\n\nOK\n", passed, nil},
		{"npx jest", "FAIL src/a.test.js\n  sums\n    ✓ adds (2 ms)\n    ✕ subtracts (5 ms)\n\nTests:       1 failed, 1 passed, 2 total\n", failed,
			[]string{"subtracts"}},
		{"npx jest", "PASS src/a.test.js\nTests:       1 skipped, 2 passed, 3 total\nTime:  0.5 s\n", passed, nil},
		{"npx vitest run", "\x1b[31m FAIL \x1b[0m src/a.test.ts > sums > subtracts\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed (4)\n",
			failed, []string{"src/a.test.ts > sums > subtracts"}},
		{"npx vitest run", " Test Files  2 passed (2)\n      Tests  4 passed (4)\n", passed, nil},
		{"cargo test", "test pool::empty ... FAILED\ntest pool::full ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n", failed,
			[]string{"pool::empty"}},
		{"cargo test", "test result: ok. 2 passed; 0 failed; 0 ignored; finished in 0.00s\n", passed, nil},
		{"cargo test", "error[E0308]: mismatched types\n --> src/lib.rs:3:5\n", failed, nil},
		{"npx mocha", "  sums\n    ✔ adds\n    1) subtracts\n\n  1 passing (5ms)\n  1 failing\n\n  1) sums\n       subtracts:\n     AssertionError: x\n",
			failed, []string{"sums subtracts"}},
		{"npx mocha", "  sums\n    ✔ adds\n\n  1 passing (5ms)\n", passed, nil},
		{"vendor/bin/phpunit", "1) Tests\\SumTest::testAdd\nFailed asserting.\n\nFAILURES!\nTests: 3, Assertions: 5, Failures: 1.\n", failed,
			[]string{`Tests\SumTest::testAdd`}},
		{"vendor/bin/phpunit", "OK (3 tests, 5 assertions)\n", passed, nil},
		{"bundle exec rspec", "3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/sum_spec.rb:4 # Sum adds\n", failed,
			[]string{"./spec/sum_spec.rb:4"}},
		{"bundle exec rspec", "3 examples, 0 failures\n", passed, nil},
		{"mvn test", "[ERROR]   SumTest.testAdd:12 expected 3\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n", failed,
			[]string{"SumTest.testAdd"}},
		{"mvn test", "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n", passed, nil},
		{"./gradlew test", "SumTest > adds FAILED\n\n3 tests completed, 1 failed\n\nBUILD FAILED in 3s\n", failed, []string{"SumTest > adds"}},
		{"ctest", "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - sum_test (Failed)\n", failed, []string{"sum_test"}},
		{"ctest", "100% tests passed, 0 tests failed out of 2\n", passed, nil},
		{"npx tsc --noEmit", "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.\n", failed, nil},
		{"npx eslint .", "/x/a.js\n  3:5  error  no-unused-vars\n\n✖ 3 problems (1 error, 2 warnings)\n", failed, nil},
		{"npx eslint .", "✖ 2 problems (0 errors, 2 warnings)\n", "", nil},
		{"cat report.txt", "=== 1 failed in 1.20s ===\n", "", nil},
		{"pytest", "FAILED tests/a.py::test[password=hunter2" + strings.Repeat("x", 9) + "]\n1 failed in 0.1s\n", failed, nil},
	} {
		result, failing := checkResult(slices.ContainsFunc(shell.Programs(c.command), shell.Program.Checks), c.output)
		fault.Same(t, c.command+": "+c.output, []any{result, failing}, []any{c.result, c.failing})
	}
}
