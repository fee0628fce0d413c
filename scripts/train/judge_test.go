package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/scripts/recorded"
)

// TestJudges: what is for judging alone is not read, whatever is in it.
func TestJudges(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"judge.txt": "own+judge\nown+other\n", "own+judge.jsonl": "no JSON",
		"own+taught.commits.jsonl": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	judges, err := readJudges(filepath.Join(dir, "judge.txt"))
	if err != nil || !slices.Equal(judges, []string{"own/judge", "own/other"}) {
		t.Fatalf("%v, %v", judges, err)
	}
	if got, err := recorded.Traces(dir, judges...); err != nil || len(got) != 1 || got[0].Name != "own/taught" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := recorded.Traces(dir); err == nil {
		t.Error("without the list it is read")
	}
	if _, err := readJudges(filepath.Join(dir, "none")); err == nil {
		t.Error("a list that cannot be read is no list")
	}
}
