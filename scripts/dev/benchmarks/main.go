// Command benchmarks compares aOa with simpler rules and other programs, and writes the tables of
// docs/dev/benchmarks.md.
//
//	go run ./scripts/dev/benchmarks -repos CLONES [-issues FILE] [-traces DIR] [-weights DIR]
//	        [-aoa PROGRAM] [-only TABLE] [-histories FILE] [-page ""]
//
// It reads clones (OWNER+NAME) of the repositories that histories.go or a file names; a file of
// issues (one JSON object a line: id, repo, base, text, files); a folder of recorded sessions in
// the form of package recorded, with weights fitted without each of them; and a built aOa. It
// writes one table for each of localize, branches, changes, alone, begun, sessions and speed. A
// table whose input is missing is left unchanged.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"

	"github.com/aoa-dev/aoa/scripts/dev/markdown"
)

// inputs says where the measurements read their data.
type inputs struct {
	repos, issues, histories, traces, weights, program string
}

func main() {
	var in inputs
	flag.StringVar(&in.repos, "repos", "", "folder of clones")
	flag.StringVar(&in.issues, "issues", "", "file of issues")
	flag.StringVar(&in.histories, "histories", "", "file with names of clones, instead of those in histories.go")
	flag.StringVar(&in.traces, "traces", "", "folder of recorded sessions")
	flag.StringVar(&in.weights, "weights", "", "folder of weights OWNER+NAME.json, each fitted without that repository")
	flag.StringVar(&in.program, "aoa", "bin/aoa", "the program")
	only := flag.String("only", "", "only this table: localize, branches, changes, alone, begun, sessions or speed")
	page := flag.String("page", "docs/dev/benchmarks.md", "the page with the tables; if empty, they are only printed")
	flag.Parse()
	debug.SetGCPercent(400) // A replay allocates much memory and keeps little of it.
	if err := in.write(context.Background(), *page, *only); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

// write runs the measurements, and replaces each table of the page as soon as it is computed.
func (in inputs) write(ctx context.Context, page, only string) error {
	for _, t := range []struct {
		name    string
		there   bool
		measure func(context.Context) (string, error)
	}{
		{"localize", in.repos != "", in.localize},
		{"branches", in.repos != "", in.branches},
		{"changes", in.repos != "", in.changes},
		{"alone", in.repos != "", in.alone},
		{"begun", in.repos != "", in.begun},
		{"sessions", in.traces != "", in.sessions},
		{"speed", in.repos != "", in.speed},
	} {
		if !t.there || only != "" && only != t.name {
			continue
		}
		text, err := t.measure(ctx)
		if err != nil {
			return err
		}
		fmt.Println(text)
		if page == "" {
			continue
		}
		old, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		changed, err := replace(string(old), t.name, text)
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if err := os.WriteFile(page, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces the text of a page between the begin and end lines with a name.
func replace(page, name, text string) (string, error) {
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("it has no place for the table %s", name)
	}
	return before + begin + markdown.Wrap(strings.TrimRight(text, "\n")) + "\n" + end + after, nil
}

// names returns the names of the clones that are asked about: those in the file -histories, or else
// the shipped ones.
func (in inputs) names(shipped []string) ([]string, error) {
	if in.histories == "" {
		return shipped, nil
	}
	data, err := os.ReadFile(in.histories)
	return strings.Fields(string(data)), err
}

// sessions runs scripts/dev/eval, and returns its table.
func (in inputs) sessions(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "run", "./scripts/dev/eval", "-traces", in.traces, "-repos", in.repos,
		"-weights", in.weights)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}
