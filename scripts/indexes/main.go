// Command indexes measures internal/index beside SQLite's FTS5 and bleve, with the same fields, words and weights.
//
//	cd scripts/indexes && go run . -issues FILE -repos CLONES -large CLONE
//
// In come a file of issues (one JSON object a line, gzip: repo, base, text, files), a folder of clones (OWNER+NAME),
// and a clone with many files. Out goes the table "Index" of docs/decisions.md. An issue is asked at its commit, of
// sources that are no tests. Time, disk and memory are those of 10,000 files of the large clone, asked with the
// issues and with its newest commit messages. No clone is changed. Texts are asked three times, the fastest counts;
// "build" is CPU time. It is a module of its own, so that the product never depends on bleve; go.work takes the
// product as it is checked out.
package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

var (
	issues = flag.String("issues", "", "file of issues")
	repos  = flag.String("repos", "", "folder of clones of their repositories")
	large  = flag.String("large", "", "clone with many files")
	number = flag.Int("files", 10_000, "files of the large clone")
	one    = flag.Int("engine", -1, "only this engine, in this process")
	root   = flag.String("root", "", "checkout of the large clone")
)

func main() {
	flag.Parse()
	if *one >= 0 {
		if _, err := os.Stat(*root + ".index"); err == nil {
			asked(*one)
		} else {
			made(*one)
		}
		return
	}
	fmt.Println("| | @1 | @5 | @10 | build s | disk MB | memory MB | p50 ms | p99 ms | save ms |")
	fmt.Println("| --- |" + strings.Repeat(" ---: |", 9))
	*root = checkout(*large, "HEAD")
	for i, e := range engines {
		row := "| " + e.name
		for range 2 { // the index is made by one process, and asked by another
			args := append(slices.Clone(os.Args[1:]), "-engine", strconv.Itoa(i), "-root", *root)
			row += output(nil, os.Args[0], args...)
		}
		fmt.Println(row + " |")
		check(os.RemoveAll(*root + ".index"))
	}
	check(os.RemoveAll(*root))
}

func check(err error) {
	if err != nil {
		log.Fatal("indexes: ", err)
	}
}

// output runs this program, or git in a clone that the developer names.
func output(env []string, name string, args ...string) string {
	c := exec.Command(name, args...) // see above
	c.Env, c.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := c.Output()
	check(err)
	return string(out)
}

// build makes an index of files beside their folder, and returns the CPU time that it took.
func build(n int, root string, files []string) (engine, time.Duration) {
	check(os.Mkdir(root+".index", 0o700))
	before := cpuTime()
	e := engines[n].open(root+".index", root, files)
	for some := range slices.Chunk(files, 500) {
		e.add(root, some)
	}
	check(e.Close())
	took := cpuTime() - before
	return engines[n].open(root+".index", root, files), took
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// issue is a text, and the files of the accepted patch.
type issue struct {
	Repo, Base, Text string
	Files            []string
}

// made prints the shares of issues with a right file among the first, and what it costs to make an index.
func made(n int) {
	firsts, hits := [...]int{1, 5, 10}, [3]int{}
	all := readIssues()
	for _, one := range all {
		root := checkout(filepath.Join(*repos, strings.ReplaceAll(one.Repo, "/", "+")), one.Base)
		e, _ := build(n, root, filesIn(root, func(k index.Kind) bool { return k == index.KindSource }))
		order := ask(e, engines[n].weighed, one.Text)
		place := slices.IndexFunc(order, func(p string) bool { return slices.Contains(one.Files, p) })
		for i, first := range firsts {
			if place >= 0 && place < first {
				hits[i]++
			}
		}
		check(errors.Join(e.Close(), os.RemoveAll(root), os.RemoveAll(root+".index")))
	}
	for _, n := range hits {
		fmt.Printf(" | %.3f", float64(n)/float64(len(all)))
	}
	e, took := build(n, *root, largeFiles())
	check(e.Close())
	size := int64(0)
	check(filepath.WalkDir(*root+".index", func(_ string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); err == nil && e == nil && !d.IsDir() {
			size += info.Size()
		}
		return err
	}))
	fmt.Printf(" | %.1f | %.1f", took.Seconds(), float64(size)/1e6)
}

// asked asks an index that is on disk, each text three times, and replaces 100 files, one after the other.
func asked(n int) {
	messages := output(nil, "git", "-C", *large, "log", "-151", "--no-merges", "--format=%B%x00")
	texts := strings.Split(strings.TrimSuffix(messages, "\x00\n"), "\x00\n")
	for _, one := range readIssues() {
		texts = append(texts, one.Text)
	}
	files := largeFiles()
	e := engines[n].open(*root+".index", *root, files)
	p50, p99 := quantiles(len(texts), 3, func(i int) { ask(e, engines[n].weighed, texts[i]) })
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	var kb float64
	_, err = fmt.Sscan(after, &kb)
	check(err)
	save, _ := quantiles(100, 1, func(i int) { e.add(*root, files[i*len(files)/100:][:1]) })
	fmt.Printf(" | %.0f | %.1f | %.1f | %.1f", kb/1024, p50, p99, save)
	check(e.Close())
}

// quantiles returns the median and the 99th percentile, in ms, of n things, of each the fastest time of some.
func quantiles(n, times int, do func(i int)) (p50, p99 float64) {
	var took []float64
	for i := range n {
		fastest := math.Inf(1)
		for range times {
			start := time.Now()
			do(i)
			fastest = min(fastest, time.Since(start).Seconds()*1000)
		}
		took = append(took, fastest)
	}
	slices.Sort(took)
	return took[n/2], took[n*99/100]
}

func readIssues() (out []issue) {
	f, err := os.Open(*issues)
	check(err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	check(err)
	for d := json.NewDecoder(z); d.More(); {
		var one issue
		check(d.Decode(&one))
		out = append(out, one)
	}
	return out
}

// checkout writes the files of a commit to a new folder, without those whose blobs the clone lacks.
func checkout(clone, commit string) string {
	root, err := os.MkdirTemp("", "indexes-")
	check(err)
	const script = `git -C "$1" read-tree "$2" && { git -C "$1" checkout-index -a -f 2>&1 || true; }`
	output([]string{"GIT_WORK_TREE=" + root, "GIT_INDEX_FILE=" + root + ".git"}, "sh", "-c", script, "", clone, commit)
	check(os.Remove(root + ".git"))
	return root
}

func largeFiles() []string {
	files := filesIn(*root, func(index.Kind) bool { return true })
	return files[:min(len(files), *number)]
}

// filesIn returns the regular files of a folder that are of the kinds that are wanted.
func filesIn(root string, wanted func(index.Kind) bool) (out []string) {
	check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		if err == nil && d.Type().IsRegular() && wanted(index.KindOf(event.Path(rel))) {
			out = append(out, rel)
		}
		return err
	}))
	return out
}
