package main

import (
	"os"
	"strings"
)

const judgeUsage = "file of repositories for judging alone, OWNER+NAME each: nothing of them is read for fitting"

// readJudges reads the names of judging repositories, none without a file.
func readJudges(name string) (judges []string, err error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	for line := range strings.FieldsSeq(string(data)) {
		judges = append(judges, strings.Replace(line, "+", "/", 1))
	}
	return judges, err
}
