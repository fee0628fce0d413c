package shell

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPrograms: the programs of a line, and of each whether it runs whatever happens, whether it
// ran if the line succeeded, and whether the line is nothing else, in testdata/programs.txt.
func TestPrograms(t *testing.T) {
	fault.Replies(t, "testdata/programs.txt", func(line string) (said []string) {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		if text, err := strconv.Unquote(line); err == nil {
			line = text
		}
		for _, c := range Programs(line) {
			flags := ""
			for _, f := range []struct {
				is   bool
				name string
			}{{c.Always, " always"}, {c.Done, " done"}, {c.Alone, " alone"}} {
				if f.is {
					flags += f.name
				}
			}
			class := []string{"trivial", "other", "branch", "undo", "commit", "check"}[c.Class]
			said = append(said, fmt.Sprintf("%s %s: %s (%s)", class, c.Name, c.Full, strings.TrimSpace(flags)))
		}
		return said
	})
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
