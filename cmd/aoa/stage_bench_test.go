package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// bigTree is a repository of n tracked text files of 4 KB in folders of 50, with aoa beside it.
func bigTree(b *testing.B, n int) *bed {
	b.Helper()
	top, err := os.MkdirTemp("", "aoa-") // a short name: the socket lies below it
	must(b, err)
	b.Cleanup(func() { os.RemoveAll(top) })
	d := &bed{binary: filepath.Join(top, "aoa"), dir: filepath.Join(top, "r")}
	d.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_SYSTEM=" + os.DevNull,
		"TURBO_TELEMETRY_DISABLED=1", "DO_NOT_TRACK=1"}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", d.binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	d.run(b, build)
	text := make([]byte, 4096)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	for i := range n {
		name := filepath.Join(d.dir, fmt.Sprintf("src/d%03d/f%05d.txt", i/50, i))
		must(b, os.MkdirAll(filepath.Dir(name), 0o755))
		copy(text, filepath.Base(name))
		must(b, os.WriteFile(name, text, 0o644))
	}
	for name, text := range map[string]string{
		"Taskfile.yml":      "version: '3'\ntasks:\n  t:\n    method: checksum\n    sources: ['src/**/*.txt']\n    cmds: [echo done]\n",
		"package.json":      `{"name":"r","private":true,"packageManager":"npm@10.0.0","workspaces":["src"]}`,
		"turbo.json":        `{"tasks":{"t":{"inputs":["**/*.txt"],"outputs":[]}}}`,
		"src/package.json":  `{"name":"s","scripts":{"t":"echo done"}}`,
		"package-lock.json": `{"name":"r","lockfileVersion":3,"packages":{"":{"name":"r","workspaces":["src"]},"node_modules/s":{"resolved":"src","link":true},"src":{"name":"s"}}}`,
		".gitignore":        "node_modules\n.turbo\n.task\n"} {
		must(b, os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644))
	}
	d.run(b, exec.Command("git", "init", "-q", d.dir))
	d.run(b, d.in("git", "add", "-A"))
	d.run(b, d.in("git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "all"))
	d.run(b, d.in(d.binary, "init"))
	b.Cleanup(func() { _ = d.in(d.binary, "daemon", "stop").Run() }) // it may have stopped
	return d
}

func (d *bed) in(words ...string) *exec.Cmd {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = d.dir, d.env
	return cmd
}

// often runs a command n times and returns how long each took.
func (d *bed) often(b *testing.B, n int, words ...string) (ts times) {
	b.Helper()
	for range n {
		begin := time.Now()
		d.run(b, d.in(words...))
		ts.since(begin)
	}
	return ts
}

// BenchmarkStageHit is aoa stage run of a step with three dependencies that did not change, beside the step itself (a
// compiler's start), beside the smallest thing that aoa can do, and beside bkt, if it is installed.
func BenchmarkStageHit(b *testing.B) {
	d := bigTree(b, 100)
	step := []string{"go", "list", "-json", "crypto/tls", "net/http"}
	d.env = append(d.env, "GOCACHE="+filepath.Join(filepath.Dir(d.dir), "gocache"), "GOFLAGS=-mod=mod")
	stage := append([]string{d.binary, "stage", "run", "s", "--dep", "src/d000/f0000[0-2].txt", "--"}, step...)
	d.often(b, 2, stage...)
	var ts times
	for b.Loop() {
		ts = append(ts, d.often(b, 1, stage...)...)
	}
	ts.report(b, 10)
	b.ReportMetric(d.often(b, 30, d.binary, "--version").at(.5), "aoa-version-p50-ms")
	b.ReportMetric(d.often(b, 5, step...).at(.5), "command-p50-ms")
	if _, err := exec.LookPath("bkt"); err == nil {
		peer := append([]string{"bkt", "--ttl=1h", "--"}, step...)
		d.often(b, 1, peer...)
		b.ReportMetric(d.often(b, 30, peer...).at(.5), "bkt-p50-ms")
	}
}

// BenchmarkStageTree is a step that depends on 10,000 files of 4 KB: the first question of a fresh daemon, a hit, and
// what others take who say the same: sha256sum over the same files, and go-task and turbo, if they are installed.
func BenchmarkStageTree(b *testing.B) {
	d := bigTree(b, 10_000)
	stage := []string{d.binary, "stage", "run", "s", "--dep", "src/**/*.txt", "--", "echo", "done"}
	cold := d.often(b, 1, stage...)
	d.often(b, 1, stage...)
	var ts times
	for b.Loop() {
		ts = append(ts, d.often(b, 1, stage...)...)
	}
	ts.report(b, 0)
	b.ReportMetric(cold.at(.5), "cold-ms")
	b.ReportMetric(d.often(b, 5, "sh", "-c", "git ls-files -z src | xargs -0 sha256sum | sha256sum").at(.5),
		"sha256sum-p50-ms")
	for _, peer := range [][]string{{"task", "t"}, {"turbo", "run", "t", "--output-logs=full"}} {
		if _, err := exec.LookPath(peer[0]); err != nil {
			continue
		}
		b.ReportMetric(d.often(b, 1, peer...).at(.5), peer[0]+"-cold-ms")
		b.ReportMetric(d.often(b, 5, peer...).at(.5), peer[0]+"-hit-p50-ms")
	}
}
