package event

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestTexts asks what testdata/texts.txt asks. The line with a tab below each is the answer (-update
// writes it).
//
//	path NAME       the path of a name, or the error
//	below NAME      the path of a name of the operating system in /repo/tree
//	name NAME       how a name is shown and quoted, and whether it is mentioned
//	shell TEXT      the word that a shell takes for this text
//	json TEXT       the kind of an event, or the error
//	call JSON       the kind of a call, whether it went well, its lines, and whether it changes nothing
//	sweep SUBJECT FILE…   whether a commit went through the repository for a tool; folders=N are files of N folders
//	topics SUBJECT FILE…  which of some words it is about
//	upkeep FILE…    those that are kept up beside other work
//	pair A B        whether their names make them a pair
//	lower TEXT, dir PATH
func TestTexts(t *testing.T) {
	fault.Replies(t, "testdata/texts.txt", func(line string) []string {
		words := fault.Words(line)
		text := strings.Join(words[1:], " ")
		switch words[0] {
		case "path":
			p, err := NewPath(text)
			return []string{fmt.Sprintf("%q %v", p, err)}
		case "below":
			p, ok := Root("/repo/tree").Path(text)
			return []string{fmt.Sprintf("%q %v", p, ok)}
		case "name":
			p := Path(text)
			return []string{fmt.Sprintf("%s | %s | %v", p.Display(), p.Quoted(), p.Mentionable())}
		case "shell":
			word := ShellWord(text)
			if runtime.GOOS != "windows" && word != "…" {
				out := fault.Must(exec.Command("sh", "-c", "printf %s "+word).CombinedOutput())
				fault.Same(t, "a shell's "+text, strings.TrimPrefix(string(out), "./"), text)
			}
			return []string{word}
		case "json":
			var e Event
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				return []string{err.Error()}
			}
			return []string{fmt.Sprintf("%q", e.Kind())}
		case "call":
			var c Call
			fault.Check(t, json.Unmarshal([]byte(text), &c))
			return []string{fmt.Sprintf("%s, went well: %v, lines %q, changes nothing: %v", c.Kind(), c.OK(), c.Lines(), c.Act.ReadOnly())}
		case "within":
			return []string{fmt.Sprint(Path(words[1]).Within(Path(words[2])))}
		case "sweep":
			return []string{fmt.Sprint(Commit{Text: words[1], Paths: filesIn(words[2:])}.Sweep())}
		case "topics":
			c := Commit{Text: words[1], Paths: filesIn(words[2:]), Terms: []string{"build", "dep", "bump", "certificate"}}
			return []string{fmt.Sprint(c.Topics())}
		case "upkeep":
			kept := slices.DeleteFunc(filesIn(words[1:]), func(p Path) bool { return !p.Upkeep() })
			return []string{fmt.Sprint(kept)}
		case "pair":
			return []string{fmt.Sprint(Path(words[1]).PairStem() == Path(words[2]).PairStem())}
		case "lower":
			return []string{fmt.Sprintf("%q", Lower(text))}
		case "dir":
			return []string{fmt.Sprintf("%q", Path(text).Dir())}
		}
		return nil
	})
	for n, ok := range map[int]bool{MaxPath: true, MaxPath + 1: false} {
		_, err := NewPath(strings.Repeat("a", n))
		fault.Same(t, fmt.Sprint("a path of ", n, " bytes"), err == nil, ok)
	}
	for name, ok := range map[string]bool{strings.Repeat("n", 80): true, strings.Repeat("n", 81): false,
		strings.Repeat("d/", 58) + "x.go": true, strings.Repeat("d/", 59) + "x.go": false} {
		fault.Same(t, name+" is mentioned", Path(name).Mentionable(), ok)
	}
}

// filesIn are files by their names; folders=N stands for a file in each of N folders.
func filesIn(words []string) (out []Path) {
	for i, w := range words {
		n, many := strings.CutPrefix(w, "folders=")
		if !many {
			out = append(out, Path(w))
			continue
		}
		for folder := range fault.Must(strconv.Atoi(n)) {
			out = append(out, Path(fmt.Sprintf("pkg%d/file%d.go", folder, i)))
		}
	}
	return out
}
