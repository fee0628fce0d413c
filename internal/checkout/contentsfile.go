package checkout

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

// ContentsFolder is the folder with a sealed file for each checkout: the index of the contents of
// its files.
const ContentsFolder = "contents"

// sealedFile is a file of the store with something that can be read again. It is not written if
// another store has taken the place of this daemon's.
type sealedFile struct {
	cold.SealedFile
	set *Set
}

func (t *Set) sealedFile(name string) sealedFile {
	return sealedFile{cold.SealedFile{Name: filepath.Join(t.Settings.Store, name), Seal: t.Seal}, t}
}

func (t *Set) contentsFile(root event.Root) sealedFile {
	return t.sealedFile(filepath.Join(ContentsFolder, locate.Fingerprint(string(root))))
}

// Read reports a file whose key is lost as missing: OpenSeal has warned.
func (f sealedFile) Read() ([]byte, error) {
	content, err := f.SealedFile.Read()
	if errors.Is(err, cold.ErrLostKey) && !errors.Is(err, cold.ErrRow) {
		return nil, fs.ErrNotExist
	}
	return content, err
}

func (f sealedFile) Write(fill func(io.Writer) error) error {
	if f.set.Replaced() {
		return nil
	}
	return f.SealedFile.Write(fill)
}

// ForgetContents deletes the contents of a file, or of the files in a folder, from memory and from
// the store. The stored file of a checkout that no one uses now is deleted as a whole; its files
// will be read again.
func (t *Set) ForgetContents(p event.Path) error {
	var errs []error
	known := map[string]bool{}
	for _, w := range t.All() {
		known[t.contentsFile(w.Repo.Root).Name] = true
		errs = append(errs, w.Reader.Forget(p))
	}
	return errors.Join(append(errs, t.forgetSketches(p), t.removeContents(known))...)
}

// sweepContents deletes the stored contents of checkouts that were removed.
func (t *Set) sweepContents() {
	here := map[string]bool{t.contentsFile(t.Home.Root).Name: true}
	for _, root := range t.Home.Worktrees() {
		here[t.contentsFile(root).Name] = true
	}
	if err := t.removeContents(here); err != nil {
		t.Info.Warn("the contents of removed worktrees are still in the store", "err", err)
	}
}

// removeContents removes every stored file of contents except some. atomicfile.Clean removes
// unfinished ones.
func (t *Set) removeContents(except map[string]bool) error {
	folder := filepath.Join(t.Settings.Store, ContentsFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if name := filepath.Join(folder, e.Name()); !except[name] && locate.IsFingerprint(e.Name()) {
			errs = append(errs, os.Remove(name))
		}
	}
	return errors.Join(errs...)
}
