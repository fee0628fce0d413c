package daemon

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releaseProgram takes the pages of the program's own file out of the process: the start has touched most of them, a
// daemon at rest needs a few. What is needed again comes back from the system's cache of the file, 64 KB at a time.
// Only mappings that nothing was ever written to are let go: they are the file, byte for byte.
func releaseProgram() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	raw, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range untouched(raw, exe) {
		// It fails only where the kernel knows no such advice, and then nothing has changed.
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// untouched finds in /proc/PID/smaps the mappings of a file that cannot be written to and were not before.
func untouched(smaps []byte, file string) (out []mapping) {
	var now mapping
	is := false
	lines := bufio.NewScanner(bytes.NewReader(smaps))
	for lines.Scan() {
		line := lines.Text()
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "Anonymous:":
			if is && f[1] == "0" {
				out = append(out, now)
			}
			is = false
		case len(f) >= 6 && !strings.HasSuffix(f[0], ":"):
			from, to, _ := strings.Cut(f[0], "-")
			a, err1 := strconv.ParseUint(from, 16, 64)
			b, err2 := strconv.ParseUint(to, 16, 64)
			now = mapping{uintptr(a), uintptr(b)}
			is = err1 == nil && err2 == nil && a < b && !strings.Contains(f[1], "w") && strings.HasSuffix(line, " "+file)
		}
	}
	return out
}
