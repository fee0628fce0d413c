package llmcache

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/cold"
)

// writerEnv makes the test binary a process that writes until it is killed.
const writerEnv = "AOA_TEST_LLMCACHE_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		now := newClock().now
		c := New(Options{Blobs: cold.NewBlobs(cold.BlobOptions{Path: path, Now: now}), Now: now})
		for n := 0; ; n++ {
			items := make([]Item, 20)
			for i := range items {
				items[i] = Item{Task: fmt.Sprint("b", n), Turn: fmt.Sprint(i), Data: noise(20_000 + i), Overwrite: true}
			}
			if _, err := c.Write(context.Background(), "s", items); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
			fmt.Println(n)
		}
	}
	os.Exit(m.Run())
}

// TestKillInTheMiddle: a process that is killed while it writes leaves every batch whole or not at all, each one
// that were acknowledged, and an exact account.
func TestKillInTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	kept := 0
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+path)
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		lines := bufio.NewScanner(out)
		acked := -1
		for acked < kept+round && lines.Scan() { // overwrites first, then goes on
			if _, err := fmt.Sscan(lines.Text(), &acked); err != nil {
				t.Fatalf("the writer says %q", lines.Text())
			}
		}
		check(t, cmd.Process.Kill())
		for lines.Scan() {
			_, _ = fmt.Sscan(lines.Text(), &acked)
		}
		_ = cmd.Wait()

		c := open(t, cold.BlobOptions{Path: path, Now: newClock().now}, Options{})
		batches, sum := map[string]int{}, int64(0)
		labels, total, err := c.List(t.Context(), Filter{Session: "s", Limit: 1000})
		check(t, err)
		same(t, "listed", len(labels), total)
		for _, l := range labels {
			k, err := parseKey(l.Key)
			check(t, err)
			batches[k.Task]++
			sum += l.Size
			got, err := c.Read(t.Context(), l.Key, Cut{})
			check(t, err)
			same(t, "size", int64(len(got.Data)), l.Size)
		}
		for name, n := range batches {
			if n != 20 {
				t.Fatalf("round %d: of %s %d items are left", round, name, n)
			}
		}
		if len(batches) < acked+1 || len(batches) > acked+2 {
			t.Fatalf("round %d: %d batches were acknowledged, %d are there", round, acked+1, len(batches))
		}
		n, items := used(t, c, "s")
		same(t, "the account", [2]int64{n, int64(items)}, [2]int64{sum, int64(total)})
		kept = len(batches)
		check(t, c.o.Blobs.Close())
	}
}
