package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// exportLog writes the events of this clone to a file, for another clone.
func (a *app) exportLog(ctx context.Context, file string, force bool) error {
	client, _, err := a.client(ctx)
	if err != nil {
		return err
	}
	name := a.abs(file)
	if _, err := os.Lstat(name); err == nil && !force {
		return fail(exitFailed, "aoa log --force --export "+file, "%s exists", file)
	}
	kinds := map[string]int{}
	if _, err := a.export(ctx, client, func(e event.Event) error { kinds[string(e.Kind())]++; return nil }); err != nil {
		return err
	}
	a.talk("what travels, without any text: %s", counts(kinds))
	n := 0
	_, err = replaceFile("events", name, func(to io.Writer) (err error) {
		n, err = a.writeExport(ctx, client, to)
		return err
	})
	if err != nil {
		return err
	}
	return a.answer(map[string]any{"file": file, "events": n}, func() {
		fmt.Fprintf(a.out, "%s events in %s\n", count(int64(n)), file)
	})
}

// counts lists numbers by name: "3 prompt, 12 read".
func counts(of map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, count(int64(of[name]))+" "+name)
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}

// writeExport writes zstd of lines of JSON: a head, and events as in docs/json.md. zstd has a checksum of them.
func (a *app) writeExport(ctx context.Context, client *api.Client, to io.Writer) (n int, err error) {
	packed, err := zstd.NewWriter(to)
	if err != nil {
		return 0, err
	}
	out := json.NewEncoder(packed)
	if err := out.Encode(exportHead{exportVersion}); err != nil {
		return 0, err
	}
	bar := a.progress("events", "events")
	defer bar.Finish() // only a progress bar
	n, err = a.export(ctx, client, func(e event.Event) error {
		_ = bar.Add(1)
		return out.Encode(e)
	})
	return n, errors.Join(err, packed.Close())
}

// export calls fn with every event that travels, and returns their number.
func (a *app) export(ctx context.Context, client *api.Client, fn func(event.Event) error) (n int, err error) {
	for r := (api.LogRequest{Export: true}); ; {
		page, err := api.Call(ctx, client, api.Log, r)
		if err != nil {
			return n, err
		}
		for _, e := range page.Events {
			if err := fn(e); err != nil {
				return n, err
			}
		}
		n += len(page.Events)
		if r.After = page.Next; r.After == 0 {
			return n, nil
		}
	}
}

// importedBatch is how many events go in one request.
const importedBatch = 500

// importLog learns from the file of another clone.
func (a *app) importLog(ctx context.Context, file string, force bool) error {
	client, repo, err := a.client(ctx)
	if err != nil {
		return err
	}
	st, err := api.Call(ctx, client, api.Status, api.None{})
	if err != nil {
		return err
	}
	if st.Team != nil && st.Team.Server != "" {
		return fail(exitFailed, "clones with the same redis_url exchange what they learn",
			"redis_url is set: an import would count twice what other clones have published")
	}
	files, err := repo.Files(ctx)
	if err != nil {
		return err
	}
	name := a.abs(file)
	total, err := checkExported(name, index.NewTree(files), force)
	if err != nil {
		return err
	}
	sum, err := a.importEvents(ctx, client, name, total)
	if err != nil {
		return err
	}
	return a.answer(sum, func() {
		fmt.Fprintf(a.out, "%s events learned, %s were known, %s are about ignored files\n",
			count(int64(sum.Accepted)), count(int64(sum.Duplicate)), count(int64(sum.Ignored)))
	})
}

// checkExported reads the whole file before anything is learned from it.
func checkExported(name string, tree *index.Tree, force bool) (int, error) {
	named, here := map[event.Path]bool{}, 0
	n, err := readEvents(name, func(e event.Event) error {
		for _, p := range e.Paths() {
			if !named[p] {
				named[p] = true
				if tree.Has(p) {
					here++
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, fail(exitFailed, "aoa log --export in the other clone writes a new one; nothing was learned",
			"read the events in %s: %v", name, err)
	}
	if !force && here*10 < len(named) {
		return 0, fail(exitFailed, "aoa log --force --import, if it is of this repository",
			"of the %d files that its events name %d are here: it seems to be of another repository", len(named), here)
	}
	return n, nil
}

func (a *app) importEvents(ctx context.Context, client *api.Client, name string, total int) (api.EventsAnswer, error) {
	var sum api.EventsAnswer
	bar := a.progress("events", "events")
	bar.ChangeMax(total)
	defer bar.Finish() // only a progress bar
	var batch []event.Event
	post := func() error {
		if len(batch) == 0 {
			return nil
		}
		ans, err := api.Call(ctx, client, api.Events, batch)
		sum.Accepted, sum.Duplicate, sum.Ignored = sum.Accepted+ans.Accepted, sum.Duplicate+ans.Duplicate, sum.Ignored+ans.Ignored
		_ = bar.Add(len(batch))
		batch = batch[:0]
		return err
	}
	_, err := readEvents(name, func(e event.Event) error {
		if batch = append(batch, e); len(batch) == importedBatch {
			return post()
		}
		return nil
	})
	err = errors.Join(err, post())
	return sum, err
}

const (
	exportVersion = 1
	exportLine    = 4 << 20 // longest line in bytes; events are much shorter
	exportEvents  = 20_000_000
)

// exportHead is the first line of an exported file.
type exportHead struct {
	Version int `json:"aoa_events"`
}

// readEvents calls fn with the events of a file and returns their number. Only at the end is it known that the file
// is complete.
func readEvents(name string, fn func(event.Event) error) (int, error) {
	f, err := regularfile.Open(name, regularfile.FollowLinks)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return decodeEvents(f, fn)
}

func decodeEvents(from io.Reader, fn func(event.Event) error) (n int, err error) {
	packed, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return 0, err
	}
	defer packed.Close()
	lines := bufio.NewScanner(packed)
	lines.Buffer(nil, exportLine)
	var head exportHead
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version == 0 {
		return 0, errors.Join(errors.New("aoa log --export did not write it"), lines.Err())
	}
	if head.Version > exportVersion {
		return 0, fmt.Errorf("it was made by a newer aoa (version %d, this one reads %d)", head.Version, exportVersion)
	}
	for ; lines.Scan(); n++ {
		var e event.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return n, fmt.Errorf("it is damaged: event %d: %w", n, err)
		}
		if n == exportEvents {
			return n, fmt.Errorf("it holds more than %d events", exportEvents)
		}
		if err := fn(e); err != nil {
			return n, err
		}
	}
	if err := lines.Err(); err != nil {
		return n, fmt.Errorf("it is damaged: %w", err)
	}
	return n, nil
}
