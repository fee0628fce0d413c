package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestForgetFullDisk: without space the request fails and is to be asked again, or only the bytes
// are left, which are overwritten when there is space again.
func TestForgetFullDisk(t *testing.T) {
	noRace(t)
	disk := fault.Disk(t, "16m")
	if disk == "" {
		return
	}
	book := fault.Open(t, "forget, full disk")
	for round := range fault.Size(2, fault.Rounds()) {
		store := filepath.Join(disk, fmt.Sprint("store", round))
		d := secretive(t, "AOA_STORE="+store)
		filler := filepath.Join(disk, "filler")
		fill(t, filler)
		if round%2 == 0 { // space for a part of it
			fault.Check(t, os.Truncate(filler, bytesOf(t, filler)-int64(4096*(1+round%32))))
		}
		s := d.do("forget", secretFile)
		t.Logf("exit %d: %s%s", s.code, s.out, s.err)
		if s.code != 1 || !strings.Contains(s.err, "no space left") {
			t.Errorf("on a full disk: exit %d\n%s%s", s.code, s.out, s.err)
		}
		pending := !strings.Contains(s.err, "not forgotten")
		if said := strings.Contains(d.do("status").err, "forgetting is not finished"); said != pending {
			t.Errorf("it said %q, status says that it is not finished: %v", s.err, said)
		}
		fault.Check(t, os.Remove(filler))
		if !pending {
			d.must("forget", secretFile)
		} else {
			d.must("daemon", "stop")
			d.must("daemon", "start")
		}
		d.forgotten()
		d.must("daemon", "stop")
		fault.Check(t, os.RemoveAll(store))
		book.Add(verdict(t), 1)
	}
}

func bytesOf(t *testing.T, name string) int64 {
	t.Helper()
	st, err := os.Stat(name)
	fault.Check(t, err)
	return st.Size()
}
