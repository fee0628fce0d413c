//go:build unix

package client

import (
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkProcess times whole processes, in turn: the hook in a binary as heavy as the real one, an empty Go
// program, /bin/true. The budget is 2.5 times the empty program at the median.
func BenchmarkProcess(b *testing.B) {
	dir, sock := repo(b)
	serve(b, sock, func(c net.Conn) {
		if f, err := receive(c); err == nil && f.Wait {
			c.Write(answer("{}"))
		}
	})
	read := strings.TrimSuffix(payload("PostToolUse", dir), "}") + `,"tool_response":{"file":{"content":"` + strings.Repeat("x", 20_000) + `"}}}`
	big := strings.Replace(read, "xxx", strings.Repeat("x", 2_500_000), 1)
	runs := []struct {
		name, stdin string
		args        []string
		times       []time.Duration
	}{
		{"true", "", []string{"/bin/true"}, nil},
		{"empty", "", []string{binaries.empty}, nil},
		{"hint", payload("PreToolUse", dir), []string{binaries.fat, "hook", "claude"}, nil},
		{"learn", read, []string{binaries.fat, "hook", "claude"}, nil},
		{"learn2.5MB", big, []string{binaries.fat, "hook", "claude"}, nil},
		{"main", "", []string{binaries.fat, "nothing"}, nil},
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	files := make([]string, len(runs))
	for i, r := range runs {
		files[i] = b.TempDir() + "/stdin"
		if err := os.WriteFile(files[i], []byte(r.stdin), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for i := range runs {
			in, err := os.Open(files[i])
			if err != nil {
				b.Fatal(err)
			}
			cmd := exec.Command(runs[i].args[0], runs[i].args[1:]...)
			cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, environ(dir), in, null, null
			start := time.Now()
			if err := cmd.Run(); err != nil && runs[i].name != "main" {
				b.Fatal(runs[i].name, err)
			}
			runs[i].times = append(runs[i].times, time.Since(start))
			in.Close()
		}
	}
	median := func(i int) float64 {
		slices.Sort(runs[i].times)
		return runs[i].times[len(runs[i].times)/2].Seconds() * 1000
	}
	for i, r := range runs {
		b.ReportMetric(median(i), r.name+"-ms")
		if i > 1 {
			b.ReportMetric(median(i)/median(1), r.name+"/empty")
		}
		b.ReportMetric(runs[i].times[len(runs[i].times)*99/100].Seconds()*1000, r.name+"-p99-ms")
	}
}
