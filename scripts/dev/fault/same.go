package fault

import (
	"flag"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files that tests compare with: "+
	"testdata, the pages of docs, the hooks of the plugin")

// Update reports whether tests write the files with which they compare.
func Update() bool { return *update }

// Same fails the test if got differs from want, and prints the difference.
func Same(t testing.TB, what string, got, want any, o ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, o...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// Golden compares a text with that of a file. -update writes the file.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		Check(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	Check(t, err)
	Same(t, file+" (-update accepts it)", got, string(want))
}

// Replies compares a file with what becomes of it. Each line that does not begin with a tab is handed
// to reply, without the space around it, unless it is empty; the lines with a tab below it are the
// reply. -update writes them.
func Replies(t testing.TB, file string, reply func(line string) []string) {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(string(Must(os.ReadFile(file)))) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		if line = strings.TrimSpace(line); line != "" {
			for _, said := range reply(line) {
				out.WriteString("\t" + said + "\n")
			}
		}
	}
	Golden(t, file, out.String())
}

var wordsOf = regexp.MustCompile(`(?:'[^']*'|[^\s'])+`)

// Words cuts a line of such a file. What stands between ' may have spaces, and \n or \xff are what
// they are in Go.
func Words(line string) []string {
	found := wordsOf.FindAllString(line, -1)
	for i, w := range found {
		w = strings.ReplaceAll(w, "'", "")
		if strings.Contains(w, `\`) {
			w = Must(strconv.Unquote(`"` + strings.ReplaceAll(w, `"`, `\"`) + `"`))
		}
		found[i] = w
	}
	return found
}
