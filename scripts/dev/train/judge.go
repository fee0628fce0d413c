package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// judgeList is the name of the file in a folder of traces that lists the repositories that are used
// only for judging, as OWNER+NAME.
const judgeList = "judge.txt"

// readJudges reads the names of the repositories that are used only for judging. A folder without
// the list is an error, because no one could know then which repositories a fit must not read.
func readJudges(traces string) (judges []string, err error) {
	data, err := os.ReadFile(filepath.Join(traces, judgeList))
	if err != nil {
		return nil, fmt.Errorf("which repositories are for judging alone? %w (an empty file: none)", err)
	}
	for line := range strings.FieldsSeq(string(data)) {
		judges = append(judges, strings.Replace(line, "+", "/", 1))
	}
	return judges, nil
}

// refuseJudges returns an error if a fit would read a repository that is used only for judging: in
// its folder of traces, or among the repositories that it names. It reads none of the traces.
func refuseJudges(traces string, names ...string) error {
	judges, err := readJudges(traces)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(traces, "*.jsonl*"))
	if err != nil {
		return err
	}
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), ".jsonl")
		names = append(names, strings.Replace(strings.TrimSuffix(name, ".commits"), "+", "/", 1))
	}
	for _, name := range names {
		if slices.Contains(judges, name) {
			return fmt.Errorf("%s is for judging alone (%s): fit on a folder that has the others and the list", name,
				filepath.Join(traces, judgeList))
		}
	}
	return nil
}
