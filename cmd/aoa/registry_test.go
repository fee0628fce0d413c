package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestRegistryNotes: the note of a daemon goes when its store was deleted, and stays when its disk is not there.
func TestRegistryNotes(t *testing.T) {
	top := t.TempDir()
	a := &app{env: []string{"HOME=" + top, "XDG_STATE_HOME=" + filepath.Join(top, "state")}}
	fault.Check(t, os.MkdirAll(a.registry(), 0o700))
	note := func(name string) string {
		store := filepath.Join(top, name, ".git", "aoa")
		file := filepath.Join(a.registry(), name)
		fault.Check(t, os.WriteFile(file, []byte(filepath.Dir(store)+"\x00"+store+"\n"), 0o600))
		return file
	}
	there, deleted, unmounted := note("there"), note("deleted"), note("unmounted")
	fault.Check(t, os.MkdirAll(filepath.Join(top, "there", ".git", "aoa"), 0o700))
	fault.Check(t, os.MkdirAll(filepath.Join(top, "deleted", ".git"), 0o700))
	if found := a.daemons(); len(found) != 1 || found[0].Store != filepath.Join(top, "there", ".git", "aoa") {
		t.Errorf("found %+v", found)
	}
	for file, want := range map[string]bool{there: true, deleted: false, unmounted: true} {
		_, err := os.Stat(file)
		fault.Same(t, filepath.Base(file)+" is there", err == nil, want)
	}
}
