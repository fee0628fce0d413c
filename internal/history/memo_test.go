package history

import (
	"fmt"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestMemo asks about a change without each of its files, at the same time and with one Memo. The
// answers are the same as without it.
func TestMemo(t *testing.T) {
	t.Parallel()
	c := lived()
	change := []event.Path{"api/wire.go", "docs/json.md", "cmd/run.go", "CHANGELOG.md"}
	memo := &Memo{}
	var all sync.WaitGroup
	for i := range change {
		all.Go(func() {
			rest := append(append([]event.Path{}, change[:i]...), change[i+1:]...)
			got, _ := Past{Commits: c, Memo: memo}.Companions(nil, rest, everything, 40)
			want, _ := Past{Commits: c}.Companions(nil, rest, everything, 40)
			fault.Same(t, "companions without "+string(change[i]), fmt.Sprint(got), fmt.Sprint(want))
		})
	}
	all.Wait()
	fault.Same(t, "files that were examined", len(memo.once), len(change))
}
