package install

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// odd are the shapes of which a golden has the whole text.
var odd = []string{"empty object", "one line, blanks", "four blanks", "tabs", "crlf", "byte order mark", "line comments",
	"block comments", "only a comment", "trailing comma, comment", "event empty", "foreign group", "foreign group, one line",
	"foreign, trailing comma", "foreign events, many", "unknown keys, odd order", "no end of line", "deep blanks"}

// TestInstalledText holds what Add makes of odd files to a golden, with a short word for each
// command: what people see changes only on purpose. -update writes it.
func TestInstalledText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("two agents want another command there")
	}
	for _, name := range []string{"claude", "cursor"} {
		a, all := agentOf(t, name), shapesOf(name)
		var b strings.Builder
		for _, shape := range odd {
			file := settingsAt(t, all[shape])
			_, err := Add(a, file, Options{})
			fault.Check(t, err)
			text := strings.ReplaceAll(string(contentOf(t, file)), compact(Command("", name)), `"AOA"`)
			b.WriteString("== " + shape + "\n" + strings.NewReplacer("\r", "\\r", "\xef\xbb\xbf", "\\ufeff").Replace(text) + "\n")
		}
		fault.Golden(t, filepath.Join("testdata", "installed", name+".txt"), b.String())
	}
}
