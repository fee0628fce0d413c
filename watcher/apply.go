package watcher

import (
	"context"
	"io"
	"slices"
)

// Apply runs git apply with a patch: at the root, because from a folder below git passes over other
// files in silence. The options are those of git apply. All of the patch is applied, or nothing.
func (r *Repo) Apply(ctx context.Context, patch string, options ...string) error {
	nothing := func(out io.Reader) error { _, err := io.Copy(io.Discard, out); return err }
	return r.git.Stream(ctx, string(r.Root), patch, nothing, slices.Concat([]string{"apply"}, options)...)
}
