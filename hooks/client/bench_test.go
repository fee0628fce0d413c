//go:build unix

package client

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkProcess times whole processes, in turn: aoa-hook with payloads of 1 KB, 30 KB and 1 MB, aoa hook, an empty
// Go program, /bin/true. The budget of aoa-hook at the median is 2.5 times the empty program with a question, 2.0 times
// without.
func BenchmarkProcess(b *testing.B) {
	dir, sock := repo(b)
	serve(b, sock, func(c net.Conn) {
		if f, err := receive(c); err == nil && f.Wait {
			c.Write(answer("{}"))
		}
	})
	small, whole := filepath.Join(b.TempDir(), "aoa-hook"), filepath.Join(b.TempDir(), "aoa")
	for program, out := range map[string]string{"../../cmd/aoa-hook": small, "../../cmd/aoa": whole} {
		if msg, err := compile(out, program); err != nil {
			b.Fatalf("build %s: %v\n%s", program, err, msg)
		}
	}
	sized := func(event string, bytes int) string {
		return strings.TrimSuffix(payload(event, dir), "}") + `,"tool_response":{"file":{"content":"` +
			strings.Repeat("x", bytes-200) + `"}}}`
	}
	type run struct {
		name, stdin string
		args        []string
		times       []time.Duration
	}
	runs := []run{{"true", "", []string{"/bin/true"}, nil}, {"empty", "", []string{binaries.empty}, nil}}
	for name, size := range map[string]int{"1KB": 1 << 10, "30KB": 30 << 10, "1MB": 1 << 20} {
		runs = append(runs, run{"hint" + name, sized("UserPromptSubmit", size), []string{small, "claude"}, nil},
			run{"learn" + name, sized("PostToolUse", size), []string{small, "claude"}, nil})
	}
	runs = append(runs, run{"aoa", sized("UserPromptSubmit", 1<<10), []string{whole, "hook", "claude"}, nil})
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
			if err := cmd.Run(); err != nil {
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
