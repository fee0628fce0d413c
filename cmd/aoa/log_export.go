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
	"github.com/schollz/progressbar/v3"

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
	kinds, n := map[event.Kind]int{}, 0
	_, err = replaceFile("events", name, func(to io.Writer) error { return export(ctx, client, to, kinds) })
	if err != nil {
		return err
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		n += kinds[kind]
		parts = append(parts, count(kinds[kind])+" "+string(kind))
	}
	a.talk("what travels, without any text: %s", cmp.Or(strings.Join(parts, ", "), "nothing"))
	return a.answer(map[string]any{"file": file, "events": n}, func() {
		fmt.Fprintf(a.out, "%s events in %s\n", count(n), file)
	})
}

// export writes zstd of lines of JSON: a head, and events as in docs/json.md. zstd has a checksum of them. It counts
// the events by their kinds.
func export(ctx context.Context, client *api.Client, to io.Writer, kinds map[event.Kind]int) error {
	packed, err := zstd.NewWriter(to)
	if err != nil {
		return err
	}
	out := json.NewEncoder(packed)
	err = out.Encode(exportHead{exportVersion})
	for r := (api.LogRequest{Export: true}); err == nil; {
		var page api.LogAnswer
		page, err = api.Call(ctx, client, api.Log, r)
		for _, e := range page.Events {
			kinds[e.Kind()]++
			err = errors.Join(err, out.Encode(e))
		}
		if r.After = page.Next; r.After == 0 {
			break
		}
	}
	return errors.Join(err, packed.Close())
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
	if st.Team.Server != "" {
		return fail(exitFailed, "clones with the same redis_url exchange what they learn",
			"redis_url is set: an import would count twice what other clones have published")
	}
	files, err := repo.Files(ctx)
	if err != nil {
		return err
	}
	name, bar := a.abs(file), a.progress("import", "events")
	defer bar.Finish() // only a progress bar
	n, err := checkExported(name, index.NewTree(files), force, bar)
	if err != nil {
		return err
	}
	bar.Reset()
	moves(bar)(0, n)
	_ = bar.RenderBlank() // at once; a short import would end before the bar is drawn again
	sum, err := importEvents(ctx, client, name, bar)
	if err != nil {
		return err
	}
	return a.answer(sum, func() {
		fmt.Fprintf(a.out, "%s events learned, %s were known, %s are about ignored files\n",
			count(int64(sum.Accepted)), count(int64(sum.Duplicate)), count(int64(sum.Ignored)))
	})
}

// checkExported reads the whole file before anything is learned from it. It returns the number of events.
func checkExported(name string, tree *index.Tree, force bool, bar *progressbar.ProgressBar) (n int, err error) {
	named, here := map[event.Path]bool{}, 0
	err = readEvents(name, bar, func(e event.Event) error {
		n++
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

func importEvents(
	ctx context.Context, client *api.Client, name string, bar *progressbar.ProgressBar,
) (api.EventsAnswer, error) {
	var sum api.EventsAnswer
	var batch []event.Event
	post := func() error {
		if len(batch) == 0 {
			return nil
		}
		ans, err := api.Call(ctx, client, api.Events, batch)
		sum.Accepted += ans.Accepted
		sum.Duplicate += ans.Duplicate
		sum.Ignored += ans.Ignored
		batch = batch[:0]
		return err
	}
	err := readEvents(name, bar, func(e event.Event) error {
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
	exportLine    = 4 << 20   // longest line in bytes; events are much shorter
	exportEvents  = 5_000_000 // several times what a log of 500 MB holds
)

// exportHead is the first line of an exported file.
type exportHead struct {
	Version int `json:"aoa_events"`
}

// readEvents calls fn with the events of a file. Only at the end is it known that the file is complete.
func readEvents(name string, bar *progressbar.ProgressBar, fn func(event.Event) error) error {
	f, err := regularfile.Open(name, regularfile.FollowLinks)
	if err != nil {
		return err
	}
	defer f.Close()
	return decodeEvents(f, func(e event.Event) error {
		_ = bar.Add(1) // only a progress bar
		return fn(e)
	})
}

func decodeEvents(from io.Reader, fn func(event.Event) error) error {
	packed, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return err
	}
	defer packed.Close()
	lines := bufio.NewScanner(packed)
	lines.Buffer(nil, exportLine)
	var head exportHead
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version == 0 {
		return errors.Join(errors.New("aoa log --export did not write it"), lines.Err())
	}
	if head.Version > exportVersion {
		return fmt.Errorf("it was made by a newer aoa (version %d, this one reads %d)", head.Version, exportVersion)
	}
	for n := 0; lines.Scan(); n++ {
		var e event.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("it is damaged: event %d: %w", n, err)
		}
		if n == exportEvents {
			return fmt.Errorf("it holds more than %d events", exportEvents)
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	return nil
}
