package watcher

import (
	"context"
	"io"
	"slices"
)

// Apply runs git apply with a patch. It runs at the root, because from a subfolder git silently
// skips all other files. options are those of git apply. The patch is applied completely or not at
// all.
func (r *Repo) Apply(ctx context.Context, patch string, options ...string) error {
	nothing := func(out io.Reader) error { _, err := io.Copy(io.Discard, out); return err }
	return r.git.Stream(ctx, string(r.Root), patch, nothing, slices.Concat([]string{"apply"}, options)...)
}
