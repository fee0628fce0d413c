package daemon

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestPagesThatOnlyTheStartUsed(t *testing.T) {
	smaps := `00400000-01000000 r-xp 00000000 fd:00 42                                 /opt/a b/aoa
Size:              12288 kB
Anonymous:             0 kB
VmFlags: rd ex
01000000-02000000 r--p 00c00000 fd:00 42                                 /opt/a b/aoa
Anonymous:             0 kB
02000000-02100000 r--p 01c00000 fd:00 42                                 /opt/a b/aoa
Anonymous:             4 kB
02100000-02200000 rw-p 01d00000 fd:00 42                                 /opt/a b/aoa
Anonymous:             0 kB
02200000-02300000 r-xp 00000000 fd:00 43                                 /lib/other
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0
Anonymous:             0 kB
`
	got := untouched([]byte(smaps), "/opt/a b/aoa")
	if want := []mapping{{0x400000, 0x1000000}, {0x1000000, 0x2000000}}; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%x, want %x", got, want)
	}
	if got := untouched([]byte("00400000-zz r-xp 0 0 0 /x\nAnonymous: 0 kB\n"), "/x"); len(got) != 0 {
		t.Errorf("a mapping that is none: %x", got)
	}
}

// The process goes on as before, with fewer pages of its file.
func TestReleaseProgram(t *testing.T) {
	ofFile := func() int {
		raw, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "RssFile:")
		kb, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		return kb
	}
	before := ofFile()
	releaseProgram()
	if after := ofFile(); after >= before {
		t.Errorf("%d KB of the file before, %d after", before, after)
	}
}
