package cold_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// sealedFile returns a file in a folder that is not there yet, and a Seal.
func sealedFile(t *testing.T) cold.SealedFile {
	t.Helper()
	dir := t.TempDir()
	s := fault.Must(cold.OpenSeal(filepath.Join(dir, "key")))
	return cold.SealedFile{Name: filepath.Join(dir, "sub", "file"), Seal: s}
}

func writeWhole(t *testing.T, f cold.SealedFile, content []byte) {
	t.Helper()
	fault.Check(t, f.Write(func(to io.Writer) error { _, err := to.Write(content); return err }))
}

func TestSealedFile(t *testing.T) {
	f := sealedFile(t)
	if _, err := f.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, size := range []int{0, 1, 1 << 20, 1<<20 + 1, 3<<20 + 5} {
		want := bytes.Repeat([]byte("zanzibar"), size/8+1)[:size]
		writeWhole(t, f, want)
		if got, err := f.Read(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
		raw, err := os.ReadFile(f.Name)
		if err != nil || bytes.Contains(raw, []byte("zanzibar")) {
			t.Errorf("%d bytes lie open, %v", size, err)
		}
	}
	if info, err := os.Stat(f.Name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	before := fault.Must(os.ReadFile(f.Name))
	full := errors.New("disk full")
	if err := f.Write(func(to io.Writer) error { _, _ = to.Write(make([]byte, 5<<20)); return full }); !errors.Is(err,
		full) {
		t.Errorf("an error while it is written: %v", err)
	}
	if after, err := os.ReadFile(f.Name); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the old file does not stay: %v", err)
	}
	if left, err := filepath.Glob(f.Name + ".*"); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	for range 2 {
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// TestSealedFileDamage: whatever is changed, cut off, taken out or moved is an error, and so is
// another file's content.
func TestSealedFileDamage(t *testing.T) {
	f := sealedFile(t)
	content := make([]byte, 2<<20+100)
	writeWhole(t, f, content)
	whole := fault.Must(os.ReadFile(f.Name))
	half := len(whole) / 2
	for name, raw := range map[string][]byte{
		"a bit":            append(append(bytes.Clone(whole[:900]), whole[900]^1), whole[901:]...),
		"a bit of the key": append(append(bytes.Clone(whole[:40]), whole[40]^1), whole[41:]...),
		"cut":              whole[:len(whole)-1],
		"the second half":  whole[:half],
		"the first half":   whole[half:],
		"more":             append(bytes.Clone(whole), 0),
		"nothing":          nil,
	} {
		fault.Check(t, os.WriteFile(f.Name, raw, 0o600))
		if got, err := f.Read(); !errors.Is(err, cold.ErrRow) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	other := f
	other.Name += "2"
	fault.Check(t, os.WriteFile(other.Name, whole, 0o600))
	if _, err := other.Read(); !errors.Is(err, cold.ErrRow) {
		t.Errorf("the content of another file: %v", err)
	}
	another := sealedFile(t)
	f.Seal = another.Seal
	writeWhole(t, another, content)
	fault.Check(t, os.WriteFile(f.Name, whole, 0o600))
	if _, err := f.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another key: %v", err)
	}
	f.Seal = nil // stores open
	writeWhole(t, f, content)
	if got, err := f.Read(); err != nil || !bytes.Equal(got, content) {
		t.Errorf("without a seal: %d bytes, %v", len(got), err)
	}
}
