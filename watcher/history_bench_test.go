package watcher

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// benchRepo is the repository that AOA_BENCH_REPO names, else a generated one of 3,000 commits.
func benchRepo(b *testing.B) *Repo {
	b.Helper()
	env := testEnv(b)
	dir := os.Getenv("AOA_BENCH_REPO")
	if dir == "" {
		dir = generated(b, 3000)
	}
	r, err := OpenRepo(context.Background(), dir, env)
	fault.Check(b, err)
	return r
}

func headOf(tb testing.TB, r *Repo) []string {
	tb.Helper()
	_, oid, err := r.Head(context.Background())
	fault.Check(tb, err)
	return []string{oid}
}

// BenchmarkHistoryLogAlone is git log --raw by itself, its output thrown away: what the import is measured by.
func BenchmarkHistoryLogAlone(b *testing.B) {
	r := benchRepo(b)
	n, err := r.count(context.Background(), headOf(b, r), nil)
	fault.Check(b, err)
	b.ResetTimer()
	for b.Loop() {
		fault.Check(b, r.git.Stream(context.Background(), string(r.Root), "", func(rd io.Reader) error {
			_, err := io.Copy(io.Discard, rd)
			return err
		}, "log", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-merges", "--root", logFormat, "HEAD"))
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

func benchHistory(b *testing.B, r *Repo) {
	commits, runs := 0, 0
	for b.Loop() {
		runs++
		err := r.History(context.Background(), HistoryOptions{}, func(batch []event.Event, _ map[string]string) error {
			commits += len(batch)
			return nil
		})
		fault.Check(b, err)
	}
	b.ReportMetric(float64(commits)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkHistoryGit is a whole import through git: parsing, renames, excluded files, terms, events.
func BenchmarkHistoryGit(b *testing.B) { benchHistory(b, benchRepo(b)) }

// BenchmarkHead reads HEAD once.
func BenchmarkHead(b *testing.B) {
	r := benchRepo(b)
	for b.Loop() {
		if _, _, err := r.Head(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIgnored is one question about one path, in a folder asked about before.
func BenchmarkIgnored(b *testing.B) {
	r := benchRepo(b)
	files, err := r.Files(context.Background())
	if err != nil || len(files) == 0 {
		b.Fatal("no files", err)
	}
	for i := 0; b.Loop(); i++ {
		r.Ignored(files[i%len(files)])
	}
}
