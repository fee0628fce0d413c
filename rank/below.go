package rank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// Below returns at most limit of the files below a folder, the most used last: ordered by the
// present ranking, then by how often they were opened and committed. It takes two round trips in
// addition to those of the ranking.
func (r *Ranker) Below(ctx context.Context, dir event.Path, now time.Time, limit int) (files []event.Path, err error) {
	for _, f := range r.tree().All() {
		if strings.HasPrefix(string(f), string(dir)+"/") {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	k, err := r.Score(ctx, event.Query{Task: event.TaskOpen, At: now})
	if err != nil {
		return nil, err
	}
	defer k.Done()
	likely := make(map[event.Path]float64, len(k.Files))
	for _, f := range k.Files {
		likely[f.File] = f.Score
	}
	slices.SortFunc(files, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(likely[b], likely[a]), cmp.Compare(len(a.Base()), len(b.Base())), cmp.Compare(a, b))
	})
	files = files[:min(len(files), limit)]
	v := r.store.View(now)
	opens, commits := v.Of(hot.Frequency, event.Strings(files)), v.Of(hot.Churn, event.Strings(files))
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read the use of files: %w", err)
	}
	used := make(map[event.Path]float64, len(files))
	for i, f := range files {
		used[f] = opens.Value[i] + commits.Value[i]
	}
	slices.SortStableFunc(files, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(likely[b], likely[a]), cmp.Compare(used[b], used[a]))
	})
	slices.Reverse(files)
	return files, nil
}
