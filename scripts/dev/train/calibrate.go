package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

func runCalibrate(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("calibrate", flag.ExitOnError)
	traces := flags.String("traces", "", "folder of traces")
	repos := flags.String("repos", "", "folder of clones, called OWNER+NAME")
	weights := flags.String("weights", "",
		"folder of weights fitted without the owner of each repository, called OWNER+NAME.json (fit -left); empty: the "+
			"shipped ones, whose promises are too good on what they have seen")
	out := flags.String("out", "prefetch/confidence.json", "where the result goes")
	_ = flags.Parse(args) // ExitOnError
	return calibrate(ctx, *traces, *repos, *weights, *out)
}

func calibrate(ctx context.Context, traces, repos, weights, out string) error {
	if err := refuseJudges(traces, strings.Fields(histories)...); err != nil {
		return err
	}
	found, err := learnAll(ctx, traces, repos, weights)
	if err != nil {
		return err
	}
	return write(out, fileOfPromises(found))
}

// confidenceFile is the content of prefetch/confidence.json; measured is the log loss before and after, on
// repositories that were left out of the fit.
type confidenceFile struct {
	origin
	Confidence prefetch.Confidence `json:"confidence"`
}

// fileOfPromises fits the confidence and measures it.
func fileOfPromises(found []lessons) confidenceFile {
	return confidenceFile{origin{
		About: "Fitted by scripts/dev/train on recorded sessions of agents in public repositories, each ranked with " +
			"weights that had not seen it, and on the last quarters of public histories (scripts/dev/train/histories.txt); " +
			"measured is the log loss, and the calibration error by question, on repositories whose owner was left out of " +
			"the fit.",
		Command: "make train", Measured: measurePromises(found)}, confidence(found, none)}
}

func learnAll(ctx context.Context, traces, repos, weights string) ([]lessons, error) {
	sources, err := withHistories(ctx, traces, repos)
	if err != nil {
		return nil, err
	}
	found := make([]lessons, len(sources))
	return found, recorded.Each(ctx, len(sources), func(ctx context.Context, i int) error {
		err := found[i].learn(ctx, sources[i], weights)
		if len(sources[i].Sessions) > 0 && !found[i].records() {
			found[i].asked = nil
		}
		fmt.Fprintf(os.Stderr, "%s: %d questions\n", sources[i].Name, len(found[i].asked))
		return err
	})
}

// withHistories reads the traces with their clones, and the histories of repositories that have no
// traces.
func withHistories(ctx context.Context, traces, repos string) ([]recorded.Source, error) {
	out, err := recorded.Sources(ctx, traces, repos)
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(histories) {
		s, err := recorded.History(ctx, repos, name)
		if err != nil {
			return nil, err
		}
		out = append(out, recorded.Source{Source: s})
	}
	return out, nil
}

// lessons are the questions about one repository in time order.
type lessons struct {
	Name  string
	asked []asked
}

// asked is a question with the best files of its ranking.
type asked struct {
	query event.Query
	turn  prefetch.Turn // the state of the turn, for a prompt and a search
	opens bool          // for a prompt and a search: whether the turn opens files
	files []candidate
}

// candidate is a file of a ranking, and whether it was used.
type candidate struct {
	file        event.Path
	at          prefetch.FileFeatures
	text, terms float64
	named, used bool
}

// mostFiles is how many files of a ranking are kept. The most probable ones are among them.
const mostFiles = 24

// learn replays one repository.
func (l *lessons) learn(ctx context.Context, s recorded.Source, weights string) error {
	l.Name = s.Name
	o := recorded.Options{Contents: true}
	if len(s.Sessions) > 0 {
		o, err := recorded.Weights(o, weights, s.Name)
		if err != nil {
			return err
		}
		return recorded.Sessions(ctx, s, o, func(d *recorded.Decision) error {
			if !d.AfterPrompt { // The prompt was already asked about.
				l.take(asked{query: d.Query, turn: prefetch.Turn{Prompts: d.Prompts - 1, Named: len(d.Prompted) > 0},
					opens: len(d.Turn) > 0 || d.Query.Task == event.TaskSearch && len(d.Used) > 0}, d.Ranked,
					func(p event.Path) bool { return d.Prompted[p] },
					func(p event.Path) bool { return d.Used[p] })
			}
			return nil
		})
	}
	return recorded.Subjects(ctx, s.Source, o, recorded.LastQuarter, 1, mostTexts, func(t *recorded.Localization) error {
		q := event.Query{Task: event.TaskPrompt, Prompt: t.Text}
		l.take(asked{query: q}, t.Ranked, func(event.Path) bool { return false },
			func(p event.Path) bool { return slices.Contains(t.Files, p) })
		return nil
	})
}

// records reports whether most questions between calls are from sessions whose recordings contain
// results of calls. Other recordings lack much of what was opened, so most predictions would
// wrongly count as not come true.
func (l *lessons) records() bool {
	with := map[string]bool{} // whether a session has a result
	for _, a := range l.asked {
		for _, f := range a.files {
			if f.at.Class == prefetch.OpenSeen {
				with[a.query.Session] = true
			}
		}
	}
	n, all := 0, 0
	for _, a := range l.asked {
		if a.query.Task == event.TaskOpen {
			all++
			n += int(truth(with[a.query.Session]))
		}
	}
	return 2*n >= all
}

// mostTexts is how many commit messages of a history are used. They are from its last quarter,
// which was not used for fitting weights.
const mostTexts = 40

func (l *lessons) take(a asked, ranked []rank.Scored, named, used func(event.Path) bool) {
	for i, at := range prefetch.FileFeaturesOf(a.query, ranked) {
		if i == mostFiles {
			break
		}
		f := ranked[i]
		a.files = append(a.files, candidate{f.File, at, f.Values()[rank.TextShare], f.Terms(), named(f.File), used(f.File)})
	}
	l.asked = append(l.asked, a)
}

// predictions returns the files with their probabilities, the most probable first. Place is the
// index among the files.
func (a *asked) predictions(c *prefetch.Confidence) []prefetch.Candidate {
	out := make([]prefetch.Candidate, 0, len(a.files))
	for i, f := range a.files {
		p := c.Probability(f.at)
		out = append(out, prefetch.Candidate{Place: i, File: f.file, Shipped: p, P: p, Text: f.text, Terms: f.terms,
			Named: f.named})
	}
	slices.SortStableFunc(out, func(a, b prefetch.Candidate) int { return cmp.Compare(b.P, a.P) })
	return out
}

// kind returns the name under which the question is measured.
func (a *asked) kind() string {
	if a.query.Session == "" {
		return "text"
	}
	return string(a.query.Task)
}

// promises calls each with the predictions that would be shown: the files among the first five
// whose probability is higher than ever before in their session. For a text all five count, and
// failed searches are counted separately.
func (l *lessons) promises(c *prefetch.Confidence, each func(a *asked, f *candidate, p float64)) {
	// by session and file: its highest probability while it was among the first five
	best := map[string]float64{}
	for i := range l.asked {
		a := &l.asked[i]
		top := a.predictions(c)
		for _, x := range top[:min(prefetch.MaxFiles, len(top))] {
			key := a.query.Session + "\x00" + string(x.File)
			if a.query.Task == event.TaskSearch {
				key += "\x00"
			}
			if a.query.Session == "" || x.P >= leastP && x.P > best[key] {
				best[key] = x.P
				each(a, &a.files[x.Place], x.P)
			}
		}
	}
}
