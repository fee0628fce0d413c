package session

import (
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./rank -run X": "check go test|go test ./rank -run X",
		"cd /a/b && FOO=1 go test ./... 2>&1 | tail -5": "trivial cd|cd /a/b, check go test|go test ./... " +
			"(blind), trivial tail|tail -5",
		"timeout 60 npm run test:unit -- --watch=false":       "check npm run test:unit|npm run test:unit -- --watch=false",
		"git commit -m \"$(cat <<'EOF'\nlong words\nEOF\n)\"": "commit git commit|git commit -m …",
		"git checkout -- a.go":                                "undo git checkout|git checkout -- a.go",
		"git checkout -b topic":                               "branch git checkout|git checkout -b topic",
		"git -C sub stash pop && git status":                  "undo git stash|git -C sub stash pop, trivial git status|git status",
		"python3 -m pytest tests/ -q":                         "check python3 -m pytest|python3 -m pytest tests/ -q",
		"node scripts/build.js":                               "other node scripts/build.js|node scripts/build.js",
		"poetry run ruff check . || true":                     "check ruff|ruff check . (blind), trivial true|true",
		"uv run pytest":                                       "check pytest|pytest",
		"if then ( unbalanced":                                "other unbalanced|unbalanced",
		"":                                                    "",
		"# a remark":                                          "",
		"docker compose up -d":                                "other docker compose|docker compose up -d",
		"./gradlew test --tests 'com.example.SomethingLong'":  "check gradlew test|gradlew test --tests com.example.SomethingLong",
		"for f in a b; do go vet ./$f; done; make":            "check go vet|go vet ./…, check make|make",
		"go test ./a && git commit -qm x":                     "check go test|go test ./a, commit git commit|git commit -qm x",
		strings.Repeat("a", 70) + " x":                        "other " + strings.Repeat("a", 70) + "|… x",
		`C:\tools\go.exe test ./x`:                            "check go test|go test ./x",
	} {
		var got []string
		for _, c := range programs(line) {
			s := []string{"trivial", "other", "branch", "undo", "commit", "check"}[c.class] + " " + c.name + "|" + c.full
			if c.blind {
				s += " (blind)"
			}
			got = append(got, s)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q:\n got %s\nwant %s", line, strings.Join(got, ", "), want)
		}
	}
}

func FuzzCommands(f *testing.F) {
	f.Add("go test ./... | tail && git commit -m 'x")
	f.Add("python3 - <<'E'\nprint(1)\nE")
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range programs(line) {
			if c.name == "" || len(c.full) > maxFull+len(" …") || strings.ContainsAny(c.full, "\n\r") {
				t.Fatalf("%q gave %+v", line, c)
			}
		}
	})
}
