// Command localize gathers questions for text fitting.
package main

import (
	"context"
	"encoding/gob"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/cmd/aoa/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

type Example struct {
	Repo, ID, Kind string
	Part           float64
	Issue          bool
	Paths          []string
	Kinds          []uint8
	Signals        [][]uint8
	Values         [][]float32
	Target         []bool
	Truth          int
	SrcTruth       int
	Ms             float64
}

func main() {
	repos := flag.String("repos", "", "folder of clones")
	names := flag.String("names", "", "repositories, comma separated")
	inst := flag.String("instances", "", "instances")
	from := flag.Float64("from", .3, "")
	n := flag.Int("n", 120, "")
	out := flag.String("out", "", "gob")
	most := flag.Int("keep", 120, "")
	flag.Parse()
	ctx := context.Background()
	var all []Example
	var mu sync.Mutex
	take := func(issue bool) func(l *eval.Localization) error {
		return func(l *eval.Localization) error {
			e := Example{Repo: l.Repo, ID: l.ID, Part: l.Part, Issue: issue, Kind: rank.TextKind(l.Text), Ms: l.Took.Seconds() * 1000}
			t := map[event.Path]bool{}
			for _, f := range l.Files {
				t[f] = true
				e.Truth++
				if index.KindOf(f) == index.KindSource {
					e.SrcTruth++
				}
			}
			for i, f := range l.Fits {
				if i >= *most && !t[f.File] {
					continue
				}
				var s []uint8
				var v []float32
				for k, x := range f.Values {
					if x != 0 {
						s = append(s, uint8(k))
						v = append(v, float32(x))
					}
				}
				e.Paths = append(e.Paths, string(f.File))
				e.Kinds = append(e.Kinds, uint8(index.KindOf(f.File)))
				e.Signals = append(e.Signals, s)
				e.Values = append(e.Values, v)
				e.Target = append(e.Target, t[f.File])
			}
			mu.Lock()
			all = append(all, e)
			mu.Unlock()
			return nil
		}
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	instances := map[string][]eval.Instance{}
	if *inst != "" {
		is, err := eval.Instances(*inst)
		if err != nil {
			panic(err)
		}
		for _, i := range is {
			instances[i.Repo] = append(instances[i.Repo], i)
		}
	}
	list := strings.FieldsFunc(*names, func(r rune) bool { return r == ',' || r == ' ' })
	for r := range instances {
		list = append(list, "+"+r)
	}
	for _, name := range list {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			issue := strings.HasPrefix(name, "+")
			name = strings.TrimPrefix(name, "+")
			dir := eval.CloneOf(*repos, name)
			s, err := eval.History(ctx, name, dir, os.Environ(), nil)
			if err != nil {
				fmt.Fprintln(os.Stderr, name, err)
				return
			}
			o := eval.Options{Contents: true}
			if issue {
				err = eval.Localize(ctx, s, instances[name], o, take(true))
			} else {
				err = eval.Subjects(ctx, s, o, *from, *n, take(false))
			}
			fmt.Fprintln(os.Stderr, name, len(s.Commits), err)
		})
	}
	wg.Wait()
	f, _ := os.Create(*out)
	gob.NewEncoder(f).Encode(all)
	f.Close()
	fmt.Println(len(all), "questions")
}
