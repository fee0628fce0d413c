package checkout

import (
	"errors"
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

// sealedFile returns a file of the store with something that can be read again.
func (t *Set) sealedFile(name string) cold.SealedFile {
	return cold.SealedFile{Name: filepath.Join(t.Settings.Store, name), Seal: t.Seal, Replaced: t.Replaced}
}

func (t *Set) contentsFile(root event.Root) cold.SealedFile {
	return t.sealedFile(filepath.Join(ContentsFolder, locate.Fingerprint(string(root))))
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
