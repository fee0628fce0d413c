package shell

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPrograms: the programs of a line, and of each whether it runs whatever happens, whether it
// ran if the line succeeded, and whether the line is nothing else.
func TestPrograms(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./rank -run X": "check go test|go test ./rank -run X (always done alone)",
		"cd /a/b && FOO=1 go test ./... 2>&1 | tail -5": "trivial cd|cd /a/b (always done), check go test|go test ./... (done), " +
			"trivial tail|tail -5 (done)",
		"timeout 60 npm run test:unit -- --watch=false":       "check npm run test:unit|npm run test:unit -- --watch=false (always done alone)",
		"git commit -m \"$(cat <<'EOF'\nlong words\nEOF\n)\"": "commit git commit|git commit -m … (always done alone)",
		"git checkout -- a.go":                                "undo git checkout|git checkout -- a.go (always done alone)",
		"git checkout -b topic":                               "branch git checkout|git checkout -b topic (always done alone)",
		"git -C sub stash pop && git status":                  "undo git stash|git -C sub stash pop (always done), trivial git status|git status (done)",
		"python3 -m pytest tests/ -q &":                       "check python3 -m pytest|python3 -m pytest tests/ -q (always)",
		"node scripts/build.js":                               "other node scripts/build.js|node scripts/build.js (always done alone)",
		"poetry run ruff check . || true":                     "check ruff|ruff check . (always), trivial true|true ()",
		"! uv run pytest":                                     "check pytest|pytest (always)",
		"if then ( unbalanced":                                "other unbalanced|unbalanced ()",
		"":                                                    "",
		"# a remark":                                          "",
		"docker compose up -d":                                "other docker compose|docker compose up -d (always done alone)",
		"./gradlew test --tests 'com.example.SomethingLong'":  "check gradlew test|gradlew test --tests com.example.SomethingLong (always done alone)",
		"for f in a b; do go vet ./$f; done; make":            "check go vet|go vet ./… (), check make|make (always done)",
		"go test ./a && git commit -qm x":                     "check go test|go test ./a (always done), commit git commit|git commit -qm x (done)",
		strings.Repeat("a", 70) + " x":                        "other " + strings.Repeat("a", 70) + "|… x (always done alone)",
		"bash -lc 'go test ./x'":                              "check go test|go test ./x (always done)",
		"bash build.sh; exit 0":                               "other bash build.sh|bash build.sh (), trivial exit|exit 0 ()",
		"set -e; make":                                        "trivial set|set -e (), check make|make ()",
		"make() { true; }; make":                              "check make|make ()",
		"(time make -j4)":                                     "check make|make -j4 (always done alone)",
		`C:\tools\go.exe test ./x`:                            "check go test|go test ./x (always done alone)",
	} {
		var got []string
		for _, c := range Programs(line) {
			var flags []string
			for _, f := range []struct {
				is   bool
				name string
			}{{c.Always, "always"}, {c.Done, "done"}, {c.Alone, "alone"}} {
				if f.is {
					flags = append(flags, f.name)
				}
			}
			got = append(got, []string{"trivial", "other", "branch", "undo", "commit", "check"}[c.Class]+" "+c.Name+"|"+c.Full+
				" ("+strings.Join(flags, " ")+")")
		}
		fault.Same(t, line, strings.Join(got, ", "), want)
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add("go test ./... | tail && git commit -m 'x")
	f.Add("python3 - <<'E'\nprint(1)\nE")
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range Programs(line) {
			if c.Name == "" || len(c.Full) > maxFull+len(" …") || strings.ContainsAny(c.Full, "\n\r") {
				t.Fatalf("%q gave %+v", line, c)
			}
		}
	})
}
