package watcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// filterDesk is a repository with a filter as Git LFS has one: what is committed differs from what is on the disk. The
// filter leaves a file whenever it runs.
type filterDesk struct {
	*repository
	ran string
}

func newFilterDesk(t *testing.T) *filterDesk {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a shell command")
	}
	d := &filterDesk{repository: newRepository(t), ran: filepath.Join(t.TempDir(), "ran")}
	d.git("config", "filter.swap.clean", "touch '"+d.ran+"'; tr a-z A-Z")
	d.git("config", "filter.swap.smudge", "touch '"+d.ran+"'; tr A-Z a-z")
	d.git("config", "filter.swap.required", "true")
	d.write(".gitattributes", "*.bin filter=swap\n*.sh filter=swap\n*.txt text\n")
	for _, name := range []string{"one.bin", "with space/two.bin", "run.sh", "line.txt", "plain.go"} {
		d.write(name, "content of "+name+"\r\n")
	}
	d.commit("first")
	d.at("one.bin", time.Hour)
	d.at("with space/two.bin", time.Hour)
	d.at("line.txt", time.Hour)
	d.git("add", "-A")
	return d
}

// at gives a file a time relative to now. A file that the index has with a time after its own has to be read: git
// cannot tell by its time whether it was changed since.
func (d *filterDesk) at(name string, after time.Duration) {
	d.tb.Helper()
	at := time.Now().Add(after)
	if err := os.Chtimes(d.abs(name), at, at); err != nil {
		d.tb.Fatal(err)
	}
}

// TestFilteredFiles: what Changed returns of files with a filter and with line ends, which git compares by their
// contents, while the filter does not run.
func TestFilteredFiles(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *filterDesk)
		want   []event.Path
	}{
		"nothing":                 {func(*filterDesk) {}, nil},
		"edited, of another size": {func(d *filterDesk) { d.write("one.bin", "else") }, []event.Path{"one.bin"}},
		"edited, of the same size": {func(d *filterDesk) {
			d.write("with space/two.bin",
				"CONTENT OF with space/two.bin\r\n")
		},
			[]event.Path{"with space/two.bin"}},
		"touched": {func(d *filterDesk) { d.at("one.bin", -time.Hour) }, []event.Path{"one.bin"}},
		"touched, and refreshed by its owner": {func(d *filterDesk) {
			d.at("one.bin", -time.Hour)
			d.git("status")
		}, nil},
		"another mode": {func(d *filterDesk) {
			d.at("run.sh", time.Hour)
			d.git("add", "-A")
			if err := os.Chmod(d.abs("run.sh"), 0o755); err != nil {
				d.tb.Fatal(err)
			}
		}, []event.Path{"run.sh"}},
		"staged": {func(d *filterDesk) {
			d.write("one.bin", "else")
			d.at("one.bin", time.Hour)
			d.git("add", "-A")
		}, []event.Path{"one.bin"}},
		"gone":                  {func(d *filterDesk) { d.remove("one.bin") }, []event.Path{"one.bin"}},
		"new":                   {func(d *filterDesk) { d.write("new.bin", "new") }, []event.Path{"new.bin"}},
		"text and code touched": {func(d *filterDesk) { d.at("line.txt", -time.Hour); d.at("plain.go", -time.Hour) }, nil},
		"text edited":           {func(d *filterDesk) { d.write("line.txt", "else\r\n") }, []event.Path{"line.txt"}},
		"no such driver, so a file like any other": {func(d *filterDesk) {
			d.git("config", "--remove-section", "filter.swap")
			d.at("one.bin", -time.Hour)
			d.at("run.sh", -time.Hour)
			d.at("with space/two.bin", -time.Hour)
		}, []event.Path{"one.bin", "run.sh", "with space/two.bin"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newFilterDesk(t)
			c.change(d)
			if err := os.Remove(d.ran); err != nil {
				t.Fatalf("the filter never ran: %v", err)
			}
			r, err := OpenRepo(context.Background(), d.dir, d.env)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := r.Changed(context.Background()); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("changed %q, %v; want %q", got, err, c.want)
			}
			if _, err := os.Stat(d.ran); err == nil {
				t.Error("the filter ran")
			}
		})
	}
}

// TestFilterWithoutOption: where a filter cannot be switched off, git is not asked.
func TestFilterWithoutOption(t *testing.T) {
	d := newFilterDesk(t)
	d.git("config", "--file", ".git/config", "filter.a=b.clean", "touch '"+d.ran+"'; cat")
	r, err := OpenRepo(context.Background(), d.dir, d.env)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.differing(context.Background()); !errors.Is(err, git.ErrFilters) {
		t.Errorf("differing %v, %v", got, err)
	}
}
