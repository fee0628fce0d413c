package daemon

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
)

// contentsFolder holds a file for each checkout: the contents of its files, sealed.
const contentsFolder = "contents"

// contentsFile is one of them. It is not written into a store that took the place of this daemon's.
type contentsFile struct {
	cold.SealedFile
	worktrees *worktrees
}

func (t *worktrees) contentsFile(root event.Root) contentsFile {
	return contentsFile{cold.SealedFile{Name: filepath.Join(t.settings.store, contentsFolder,
		locate.Fingerprint(string(root))), Seal: t.seal}, t}
}

// Read takes a file whose key is lost for none: OpenSeal has warned, and the files of the checkout are read again.
func (f contentsFile) Read() ([]byte, error) {
	content, err := f.SealedFile.Read()
	if errors.Is(err, cold.ErrLostKey) && !errors.Is(err, cold.ErrRow) {
		return nil, fs.ErrNotExist
	}
	return content, err
}

func (f contentsFile) Write(fill func(io.Writer) error) error {
	if f.worktrees.gone() {
		return nil
	}
	return f.SealedFile.Write(fill)
}

// forgetContents takes the content of a file, or of the files of a folder, out of memory and out of the store. What is
// kept of a checkout that nobody called from goes whole: its files are read again.
func (t *worktrees) forgetContents(p event.Path) error {
	var errs []error
	known := map[string]bool{}
	for _, w := range t.all() {
		known[t.contentsFile(w.repo.Root).Name] = true
		errs = append(errs, w.reader.Forget(p))
	}
	return errors.Join(append(errs, t.removeContents(known))...)
}

// sweepContents removes what is kept of checkouts that are no more.
func (t *worktrees) sweepContents() {
	here := map[string]bool{t.contentsFile(t.home.Root).Name: true}
	for _, root := range t.home.Worktrees() {
		here[t.contentsFile(root).Name] = true
	}
	if err := t.removeContents(here); err != nil {
		t.log.Warn("the contents of removed worktrees are still in the store", "err", err)
	}
}

// removeContents removes every file of contents except some.
func (t *worktrees) removeContents(except map[string]bool) error {
	folder := filepath.Join(t.settings.store, contentsFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if name := filepath.Join(folder, e.Name()); !except[name] {
			errs = append(errs, os.Remove(name))
		}
	}
	return errors.Join(errs...)
}
