package daemon_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// contents are the files in which the store keeps what files say, by name, decrypted.
func (d *fixture) contents() map[string][]byte {
	d.Helper()
	seal, err := cold.OpenSeal(locate.KeyFile(config.Lookup(d.o.Env)))
	fault.Check(d, err)
	names, err := filepath.Glob(filepath.Join(d.o.Place.Store, "contents", "*"))
	fault.Check(d, err)
	out := map[string][]byte{}
	for _, name := range names {
		if filepath.Ext(name) == ".tmp" {
			continue // it is being written
		}
		raw, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its worktree has just been removed
		}
		fault.Check(d, err)
		if bytes.Contains(raw, []byte("zanzibar")) {
			d.Errorf("%s is not sealed", name)
		}
		if out[name], err = (cold.SealedFile{Name: name, Seal: seal}).Read(); err != nil {
			d.Error(err)
		}
	}
	return out
}

// TestContentsAreKept: what files say lies sealed in the store, and goes from it with what is
// forgotten and with what is left of checkouts that are no more.
func TestContentsAreKept(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.git("mkdir secret && echo 'func zanzibarQuux() {}' >secret/x.go && echo 'func keptName() {}' >kept.go && git add " +
		". && git commit -qm two")
	d.start()
	own := filepath.Join(d.o.Place.Store, "contents", locate.Fingerprint(string(d.o.Repo.Root)))
	d.until("the contents are kept", func() bool { _, err := os.Stat(own); return err == nil })
	if kept := d.contents()[own]; !bytes.Contains(kept, []byte("secret/x.go")) || !bytes.Contains(kept, []byte("kept.go")) {
		t.Errorf("kept are %q", kept)
	}
	d.stop()
	other := filepath.Join(filepath.Dir(own), "0123456789abcdef")
	fault.Check(t, os.WriteFile(other, []byte("of a checkout that was removed"), 0o600))
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	d.git("git rm -qr secret && git commit -qm three")
	d.start()
	d.until("the other file is gone", func() bool { _, err := os.Stat(other); return err != nil })
	call(d, api.Forget, api.ForgetRequest{File: "secret"})
	for name, kept := range d.contents() {
		for _, word := range []string{"zanzibar", "quux", "secret"} {
			if bytes.Contains(kept, []byte(word)) {
				t.Errorf("%s still has %s", name, word)
			}
		}
	}
	d.stop()
	for name, kept := range d.contents() {
		if bytes.Contains(kept, []byte("zanzibar")) {
			t.Errorf("%s has it again", name)
		}
	}
}
