// Command mutate makes small changes to the code and counts how many of them the tests notice. Each
// package is tested only with its own tests. It prints a table, and a line for each change that no
// test notices.
//
// A mutant is one replaced piece of text in one file. The mutants of a package are compiled
// together; a variable of the environment chooses one at run time, and only the tests that reach
// its place are run. A mutant that computes five times as long as the tests without it counts as
// noticed. All of this uses the overlay of the go command, so the source files are never changed.
//
// The places are chosen by hashing the seed with the name of the function and the text of the
// place, so the same places are chosen again after other code has moved. gremlins, the maintained
// library for Go, was tried first: it changes every place of a module, cannot draw a sample, and
// has no operators for constants and dropped conditions, which were the ones that tests missed
// here.
//
//	go run ./scripts/dev/mutate [-seed N] [-most 60] [-since REV] [-time 90s] [PACKAGE…]
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// mutated are the packages whose formulas and rules decide what aOa says.
var mutated = []string{"rank", "prefetch", "internal/history", "internal/session",
	"internal/reload", "internal/stage", "internal/llmcache", "internal/hot", "learn", "internal/index",
	"internal/log", "internal/event"}

func main() {
	log.SetFlags(0)
	seed := flag.String("seed", "1", "draws the places: the same seed draws the same ones")
	most := flag.Int("most", 60, "mutants of each package; with -since, of all packages together")
	since := flag.String("since", "", "change only files that differ from this revision")
	workers := flag.Int("workers", runtime.NumCPU(), "mutants that are tested at once")
	limit := flag.Duration("time", 24*time.Hour, "try no further mutant after this time, and report what was tried")
	verbose := flag.Bool("v", false, "print the mutants that were killed, too")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = mutated
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, packages, *seed, *since, *most, *workers, time.Now().Add(*limit), *verbose); err != nil {
		log.Fatal("mutate: ", err)
	}
}

func run(ctx context.Context, packages []string, seed, since string, most, workers int, end time.Time,
	verbose bool) error {
	started := time.Now()
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	changed, err := changedSince(ctx, since)
	if err != nil {
		return err
	}
	var drawn []mutant
	sources := map[string]*source{}
	for _, dir := range packages {
		dir = filepath.Clean(dir)
		if since != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(changed)),
			func(f string) bool { return filepath.Dir(f) == dir }) {
			continue
		}
		if sources[dir], err = load(ctx, dir); err != nil {
			return err
		}
		places := placesOf(sources[dir], seed)
		if since != "" {
			places = slices.DeleteFunc(places, func(m mutant) bool { return !changed[m.file] })
		}
		drawn = append(drawn, places...)
	}
	if since != "" { // one sample of everything that changed
		slices.SortStableFunc(drawn, func(a, b mutant) int { return strings.Compare(a.order, b.order) })
		drawn = drawn[:min(len(drawn), most)]
		slices.SortStableFunc(drawn, func(a, b mutant) int { return strings.Compare(a.dir, b.dir) })
	}
	fmt.Println("| package | mutants | killed | share | seconds |\n| --- | ---: | ---: | ---: | ---: |")
	var all, survivors []mutant
	for len(drawn) > 0 && time.Now().Before(end) {
		dir := drawn[0].dir
		n := slices.IndexFunc(drawn, func(m mutant) bool { return m.dir != dir })
		if n < 0 {
			n = len(drawn)
		}
		begin := time.Now()
		own := filepath.Join(scratch, filepath.Base(dir))
		if err := os.MkdirAll(own, 0o700); err != nil {
			return err
		}
		tried, err := newTester(sources[dir], drawn[:n], most, own, workers, end).test(ctx)
		if err != nil {
			return err
		}
		drawn = drawn[n:]
		left := slices.DeleteFunc(slices.Clone(tried), func(m mutant) bool { return m.killed != "" })
		row(dir, len(tried), len(left), time.Since(begin))
		all, survivors = append(all, tried...), append(survivors, left...)
	}
	row("all", len(all), len(survivors), time.Since(started))
	if verbose {
		for _, m := range all {
			if m.killed != "" {
				fmt.Printf("%s killed by %s\n", m, m.killed)
			}
		}
	}
	for _, m := range survivors {
		fmt.Println(m, "SURVIVES")
	}
	return nil
}

func row(name string, tried, survived int, took time.Duration) {
	fmt.Printf("| %s | %d | %d | %.0f %% | %.0f |\n", name, tried, tried-survived,
		100*float64(tried-survived)/float64(max(1, tried)), took.Seconds())
}
