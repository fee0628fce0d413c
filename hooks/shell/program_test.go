package shell

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestPrograms(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./rank -run X": "check go test|go test ./rank -run X (last)",
		"cd /a/b && FOO=1 go test ./... 2>&1 | tail -5": "trivial cd|cd /a/b (may fail), check go test|go test ./..., " +
			"trivial tail|tail -5 (last)",
		"timeout 60 npm run test:unit -- --watch=false":       "check npm run test:unit|npm run test:unit -- --watch=false (last)",
		"git commit -m \"$(cat <<'EOF'\nlong words\nEOF\n)\"": "commit git commit|git commit -m … (last)",
		"git checkout -- a.go":                                "undo git checkout|git checkout -- a.go (last)",
		"git checkout -b topic":                               "branch git checkout|git checkout -b topic (last)",
		"git -C sub stash pop && git status":                  "undo git stash|git -C sub stash pop (may fail), trivial git status|git status (last)",
		"python3 -m pytest tests/ -q":                         "check python3 -m pytest|python3 -m pytest tests/ -q (last)",
		"node scripts/build.js":                               "other node scripts/build.js|node scripts/build.js (last)",
		"poetry run ruff check . || true":                     "check ruff|ruff check ., trivial true|true",
		"uv run pytest":                                       "check pytest|pytest (last)",
		"if then ( unbalanced":                                "other unbalanced|unbalanced",
		"":                                                    "",
		"# a remark":                                          "",
		"docker compose up -d":                                "other docker compose|docker compose up -d (last)",
		"./gradlew test --tests 'com.example.SomethingLong'":  "check gradlew test|gradlew test --tests com.example.SomethingLong (last)",
		"for f in a b; do go vet ./$f; done; make":            "check go vet|go vet ./…, check make|make (last)",
		"go test ./a && git commit -qm x":                     "check go test|go test ./a (may fail), commit git commit|git commit -qm x (last)",
		strings.Repeat("a", 70) + " x":                        "other " + strings.Repeat("a", 70) + "|… x (last)",
		"bash -lc 'cd a && go test ./x'":                      "trivial cd|cd a (may fail), check go test|go test ./x (last)",
		"bash build.sh; exit 0":                               "other bash build.sh|bash build.sh, trivial exit|exit 0",
		`C:\tools\go.exe test ./x`:                            "check go test|go test ./x (last)",
	} {
		var got []string
		for _, c := range Programs(line) {
			s := []string{"trivial", "other", "branch", "undo", "commit", "check"}[c.Class] + " " + c.Name + "|" + c.Full
			switch {
			case c.Passes:
				s += " (last)"
			case c.Fails:
				s += " (may fail)"
			}
			got = append(got, s)
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
