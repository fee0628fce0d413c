package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

//go:embed changes.txt
var moreHistories string

// runChanges fits the weights for changes on histories alone.
func runChanges(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("changes", flag.ExitOnError)
	repos := flags.String("repos", "", "folder of clones, called OWNER+NAME")
	traces := flags.String("traces", "", "folder of traces: the histories of their repositories count, too")
	out := flags.String("out", "internal/history/weights.json", "where the weights go")
	only := flags.String("only", "", "these histories, separated by spaces; empty: all that are listed")
	kept := flags.String("examples", "", "keep the questions in this file, or take them from it")
	last := flags.Bool("final", false, "measure the shipped weights on owners that take no part in fitting, and "+
		"write nothing")
	_ = flags.Parse(args) // ExitOnError
	names := strings.Fields(histories + moreHistories)
	if *only != "" {
		names = strings.Fields(*only)
	}
	if *traces != "" {
		files, err := filepath.Glob(filepath.Join(*traces, "*.commits.jsonl.gz"))
		if err != nil {
			return err
		}
		for _, f := range files {
			names = append(names, strings.Replace(strings.TrimSuffix(filepath.Base(f), ".commits.jsonl.gz"), "+", "/", 1))
		}
	}
	judges, err := readJudges(*traces)
	if err == nil && !*last {
		err = refuseJudges(*traces, names...)
	}
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return *last != (forLast(n) || slices.Contains(judges, n))
	})
	slices.Sort(names)
	all, err := keptChanges(ctx, *kept, *repos, names)
	if err != nil {
		return err
	}
	if *last {
		measureChanges(all, func(*changesOf) *history.Weights { return history.Shipped() })
		measureChanges(all, func(*changesOf) *history.Weights { return history.ShippedSketched() })
		return nil
	}
	file, err := readHistoryFile(*out) // it also has the weights that `train alone` fits
	if err != nil {
		return err
	}
	file.About, file.Command = "Fitted by scripts/dev/train on the third quarters of the histories of public "+
		"repositories, each repository counting the same; measured is what weights fitted without the owner reach on "+
		"the last quarters.", "make train"
	for _, sketched := range []bool{false, true} {
		var parts [ownerParts]*history.Weights
		for part := range parts {
			parts[part] = fitChanges(all, sketched, func(c *changesOf) bool { return c.part() != part })
		}
		measured := measureChanges(all, func(c *changesOf) *history.Weights { return parts[c.part()] })
		w := *fitChanges(all, sketched, func(*changesOf) bool { return true })
		if sketched {
			file.Sketched, file.MeasuredSketched = w, measured
		} else {
			file.Weights, file.Measured = w, measured
		}
	}
	return write(*out, file)
}

// historyFile is the content of internal/history/weights.json.
type historyFile struct {
	origin
	MeasuredSketched map[string]float64 `json:"measured_sketched"`
	history.File
	MeasuredAlone map[string]float64 `json:"measured_alone"`
}

func readHistoryFile(name string) (f historyFile, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(data, &f)
}

// ownerParts is the number of parts into which the owners are divided; each part is left out once.
// One owner in five is in no part: see forLast.
const ownerParts = 5

func hashOfOwner(name, salt string) uint32 {
	owner, _, _ := strings.Cut(name, "/")
	h := fnv.New32a()
	_, _ = h.Write([]byte(salt + owner))
	return h.Sum32()
}

// forLast reports whether the owner of a repository takes no part in fitting and choosing.
func forLast(name string) bool { return hashOfOwner(name, "x")%5 == 0 }

func (c *changesOf) part() int { return int(hashOfOwner(c.Name, "") % ownerParts) }

// changesOf has the questions about the commits of one repository.
type changesOf struct {
	Name      string
	Questions []changeQuestion
}

// changeQuestion asks which files belong to some of the files of a commit.
type changeQuestion struct {
	Commit int
	Last   bool // whether the commit is in the last quarter of the history
	Of     int  // number of files of the commit
	Size   int  // number of files of the question
	Left   bool // one file was left out; otherwise Size == Of, or the change has only begun
	Files  []candidateFile
}

// complete reports whether all files of the commit are in the question.
func (q *changeQuestion) complete() bool { return q.Size == q.Of }

type candidateFile struct {
	Used  bool // the commit contains the file
	Both  int
	Alike float64
	Pairs [][history.Words + 1]float32
	With  []uint8 // for each of Pairs, the index in the question of the file that it is about
}

// Limits for the questions.
const (
	askedCommits  = 60   // commits of each quarter that are asked about
	askedFiles    = 8    // files of a commit that are left out and asked about alone, at most
	keptFiles     = 20   // candidates of a question that are kept, those that come first by roughly
	mostChanged   = 30   // files of the largest commit
	newestCommits = 6000 // events of the longest history
)

// evidence is what all files of a change tell about one file.
type evidence []history.Evidence

// aboutEach groups what is known by the file that it is about, in the order of their names.
func aboutEach(all []history.Evidence) (out []evidence) {
	slices.SortStableFunc(all, func(a, b history.Evidence) int { return cmp.Compare(a.File, b.File) })
	for i, e := range all {
		if i == 0 || e.File != all[i-1].File {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], e)
	}
	return out
}

// roughly orders candidates before any weights are fitted.
func roughly(all evidence) (best float64) {
	best = -99
	for i := range all {
		x := &all[i].Facts
		best = max(best, x[history.Common]+x[history.Lately]/2+x[history.Name]+x[history.Folder]/3+x[history.Fresh])
	}
	return best
}

// ask replays a history and asks about commits of the third and the last quarter, evenly spread,
// before it learns them.
func (c *changesOf) ask(commits []event.Event, diffs *eval.Diffs) {
	log := history.Commits{Sketches: &diffs.Known}
	there := map[event.Path]bool{}
	var places []int
	for i, e := range commits {
		if b, ok := e.Body.(event.Commit); ok && len(b.Paths) > 0 && len(b.Paths) <= mostChanged {
			places = append(places, i)
		}
	}
	asked := map[int]bool{}
	n := len(places)
	last := n - n/4
	for _, quarter := range [][]int{places[n/2 : last], places[last:]} {
		for i := range min(askedCommits, len(quarter)) {
			asked[quarter[i*len(quarter)/min(askedCommits, len(quarter))]] = true
		}
	}
	for i, e := range commits {
		switch b := e.Body.(type) {
		case event.Rename:
			if i+1 < len(commits) && asked[i+1] { // The commit is asked about before its renames are known.
				was := map[event.Path]event.Path{}
				for k, to := range b.To {
					was[to] = b.From[k]
				}
				c.about(&log, there, i+1, i+1 >= places[last], commits[i+1].Paths(), was, diffs.Of(commits[i+1]))
			}
			for k, from := range b.From {
				log.Rename(from, b.To[k])
				delete(there, from)
				there[b.To[k]] = true
			}
		case event.Commit:
			if asked[i] && (i == 0 || commits[i-1].Kind() != event.KindRename) {
				c.about(&log, there, i, i >= places[last], b.Paths, nil, diffs.Of(e))
			}
			if history.Counts(b) {
				diffs.Learn(e)
				log.Add(strings.TrimPrefix(e.ID, "commit:"), slices.Concat(b.Paths, b.Gone), nil)
			}
			for _, p := range b.Paths {
				there[p] = true
			}
			for _, p := range b.Gone {
				delete(there, p)
			}
		}
	}
}

// about asks about one commit: about the complete commit, without some of its files, and about some
// of its files alone.
func (c *changesOf) about(log *history.Commits, there map[event.Path]bool, place int, last bool, paths []event.Path,
	was map[event.Path]event.Path, diffs map[event.Path]index.Sketch) {
	files := make([]event.Path, len(paths))
	for i, p := range paths {
		files[i] = cmp.Or(was[p], p)
		diffs[files[i]] = diffs[p]
	}
	ask := func(left bool, in []event.Path, out ...event.Path) {
		q := changeQuestion{Commit: place, Last: last, Of: len(files), Size: len(in), Left: left}
		found := aboutEach(log.Evidence(in, diffs, nil, func(p event.Path) bool { return there[p] }))
		slices.SortStableFunc(found, func(a, b evidence) int { return cmp.Compare(roughly(b), roughly(a)) })
		for _, of := range found[:min(len(found), keptFiles)] {
			f := candidateFile{Used: slices.Contains(out, of[0].File), Alike: of[0].Alike}
			for _, e := range of {
				f.With, f.Both = append(f.With, uint8(slices.Index(in, e.With))), max(f.Both, e.Both)
				var kept [history.Words + 1]float32
				for k := range kept {
					kept[k] = float32(e.Facts[k])
				}
				f.Pairs = append(f.Pairs, kept)
			}
			q.Files = append(q.Files, f)
		}
		c.Questions = append(c.Questions, q)
	}
	ask(false, files)
	for i, f := range files[:min(len(files), askedFiles)] {
		rest := slices.Concat(files[:i], files[i+1:])
		if len(rest) > 0 && there[f] {
			ask(true, rest, f)
		}
		if len(rest) > 1 {
			ask(false, []event.Path{f}, rest...)
		}
	}
	if n := len(files); n > 3 {
		begun := 2 + place%(n-3)
		ask(false, files[:begun], files[begun:]...)
	}
}

// keptChanges asks about all histories, or takes the questions from a file.
func keptChanges(ctx context.Context, name, repos string, names []string) (all []*changesOf, err error) {
	if name != "" {
		f, err := os.Open(name)
		if err == nil {
			defer f.Close()
			return all, gob.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&all)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	all = make([]*changesOf, len(names))
	err = recorded.EachHistory(ctx, repos, names, func(ctx context.Context, i int, s eval.Source) error {
		s.Commits = s.Commits[max(0, len(s.Commits)-newestCommits):]
		diffs, err := eval.ReadDiffs(ctx, s, len(s.Commits))
		if err != nil {
			return err
		}
		all[i] = &changesOf{Name: names[i]}
		all[i].ask(s.Commits, diffs)
		fmt.Fprintf(os.Stderr, "%s: %d questions\n", names[i], len(all[i].Questions))
		return nil
	})
	if err != nil || name == "" {
		return all, err
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = gob.NewEncoder(w).Encode(all)
	return all, errors.Join(err, w.Flush(), f.Close())
}
