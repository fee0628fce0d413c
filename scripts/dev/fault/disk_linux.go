package fault

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Disk runs the test again as root in its own mount namespace, with a tmpfs of the given size, such
// as 4m, and returns the folder of the tmpfs there. In the outer process it returns "" after the
// inner one has passed. It skips the test if no tmpfs can be mounted.
func Disk(t *testing.T, size string) string {
	t.Helper()
	const name = "AOA_TEST_TMPFS"
	if disk := os.Getenv(name); disk != "" {
		return disk
	}
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", disk).CombinedOutput(); err != nil {
		Lacking(t, "tmpfs", "no tmpfs can be mounted here: %v: %s", err, out)
	}
	cmd := exec.Command("unshare", "-rm", "sh", "-c",
		`size=$1; shift; mount -t tmpfs -o size=$size none "$0" && exec "$@"`,
		disk, size, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", fmt.Sprint("-rounds=", Rounds()))
	cmd.Env = append(os.Environ(), name+"="+disk)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("inside: %v\n%s", err, out)
	}
	t.Logf("%s", out)
	return ""
}
