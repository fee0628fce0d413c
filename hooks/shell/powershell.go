package shell

import (
	"slices"
	"strings"
)

// cmdlets are the PowerShell names for what the shell's commands do.
var cmdlets = map[string]string{"get-content": "cat", "gc": "cat", "type": "cat", "select-string": "grep", "sls": "grep",
	"findstr": "grep", "get-childitem": "ls", "gci": "ls", "dir": "ls", "set-content": "tee", "out-file": "tee",
	"add-content": "tee", "set-location": "cd", "sl": "cd", "copy-item": "cp", "move-item": "mv", "remove-item": "rm",
	"write-output": "echo", "write-host": "echo"}

// valued are the parameters of cmdlets whose values are no files.
var valued = strings.Fields("-totalcount -tail -encoding -context -depth -filter -include -value -erroraction -first")

// unixWords are the words of a cmdlet as the shell's command of the same meaning has them.
func unixWords(words []word) []word {
	name, ok := cmdlets[strings.ToLower(words[0].text)]
	if !ok {
		return words
	}
	args, patterns := []word{{text: name, ok: true}}, []word(nil)
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case !w.flag():
			args = append(args, w)
		case i+1 < len(words) && strings.EqualFold(w.text, "-pattern"):
			i++
			patterns = append(patterns, words[i])
		case slices.Contains(valued, strings.ToLower(w.text)):
			i++
		}
	}
	return slices.Insert(args, 1, patterns...)
}
