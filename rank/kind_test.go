package rank

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestManifestsAndDocumentsCommittedLastAreNoEvidence(t *testing.T) {
	w := small(t)
	w.commit(epoch.Add(-time.Hour), "tidy", "rank/rank.go", "CHANGELOG.md", "docs/plan.md")
	r := w.ranker(all(Options{}))
	for prompt, want := range map[string][3]float64{
		"fix the order": {1, 0, 0}, "fix the order, and say so in the changelog": {1, 1, 1}, "the plan is wrong": {1, 0, 1},
	} {
		for i, f := range []event.Path{"rank/rank.go", "CHANGELOG.md", "docs/plan.md"} {
			if got, _ := why(t, r, event.Query{Prompt: prompt}, f); got["fresh_committed"] != want[i] {
				t.Errorf("%q: fresh_committed of %s is %v, want %v", prompt, f, got["fresh_committed"], want[i])
			}
		}
	}
}

// TestWordsOfKindsAndPrograms: a word that names a kind of file, and that the text uses for
// something that a program does, leads to no workflow, no lock file and no changelog.
func TestWordsOfKindsAndPrograms(t *testing.T) {
	files := map[event.Path]string{
		".github/workflows/releases.yml": "name: release\non: release\njobs:\n  release:\n    steps:\n      - run: echo the job failed\n",
		".github/workflows/lock.yml":     "name: lock\njobs:\n  lock:\n    steps:\n      - uses: actions/lock\n",
		"composer.lock":                  "{\"packages\": [{\"name\": \"symfony/lock\", \"version\": \"1.2\"}], \"unique\": true}\n",
		"CHANGELOG.md":                   "# Release\n\n- release the unique lock after a failed job\n- mget returns false\n",
		"RELEASE.md":                     "# Release\n\nHow to release.\n",
		"package.json":                   "{\"version\": \"1.2.0\"}\n",
		"src/Bus/UniqueLock.php":         "<?php\nclass UniqueLock\n{\n    public function release($job)\n    {\n        $this->lock->forceRelease();\n    }\n}\n",
		"src/Queue/Handler.php":          "<?php\nclass Handler\n{\n    protected function failedJob($job)\n    {\n    }\n}\n",
		"src/Redis/Connection.php":       "<?php\nclass Connection\n{\n    public function mget(array $keys)\n    {\n        return $this->client->mGet($keys);\n    }\n}\n",
		"src/Http/Message.php":           "<?php\nclass Message\n{\n    public function trailers()\n    {\n    }\n}\n",
		"src/Http/Request.php":           "<?php\nclass Request\n{\n    public function protocolVersion()\n    {\n        return $this->version;\n    }\n}\n",
	}
	w, o := said(t, files)
	o.Models = nil
	w.commit(epoch.Add(-time.Hour), "prepare", "CHANGELOG.md", "package.json", "composer.lock", ".github/workflows/lock.yml")
	r := w.ranker(o)
	for prompt, want := range map[string]event.Path{
		"release the unique lock after a failed job": "src/Bus/UniqueLock.php",
		"unique lock":                         "src/Bus/UniqueLock.php",
		"mget":                                "src/Redis/Connection.php",
		"mget returns false":                  "src/Redis/Connection.php",
		"the version of the request is wrong": "src/Http/Request.php",
		"trailers of the action are lost":     "src/Http/Message.php",
		"how do we release":                   ".github/workflows/releases.yml",
		"fix the release workflow":            ".github/workflows/releases.yml",
		"bump the version of the package":     "package.json",
		"update the version":                  "package.json",
		"add the lock to the changelog":       "CHANGELOG.md",
	} {
		k, err := r.Score(t.Context(), event.Query{Prompt: prompt, At: epoch})
		fault.Check(t, err)
		if k.Files[0].File != want {
			t.Errorf("%q: %s and %s come first, want %s", prompt, k.Files[0].File, k.Files[1].File, want)
		}
		k.Done()
	}
}

func TestWhatIsCommittedLastComesFirst(t *testing.T) {
	w := small(t)
	w.commit(epoch.Add(-2*time.Hour), "say more", "README.md")
	w.commit(epoch.Add(-time.Hour), "tidy", "rank/rank.go", "cold/db.go")
	w.prompt("s", epoch.Add(-time.Minute), "go on")
	r := w.ranker(all(Options{}))
	newest, _ := why(t, r, event.Query{Session: "s"}, "cold/db.go")
	older, _ := why(t, r, event.Query{Session: "s"}, "README.md")
	if newest["fresh_committed"] != 1 || math.Abs(older["fresh_committed"]-1/math.Log2(3)) > 1e-9 {
		t.Errorf("newest %v, the one before %v", newest["fresh_committed"], older["fresh_committed"])
	}
	w.open("s", epoch.Add(-time.Second), "docs/rank.md")
	if got, _ := why(t, w.ranker(all(Options{})), event.Query{Session: "s"}, "cold/db.go"); got["fresh_committed"] != 0 {
		t.Errorf("with a file open: %v", got["fresh_committed"])
	}
}

// TestNamedFilesLead: a file that the session's prompt named leads to its test, although no text of
// the question names it.
func TestNamedFilesLead(t *testing.T) {
	w := newWorld(t, "deep/lead.go", "checks/lead_test.go")
	w.prompt("s", epoch.Add(-time.Minute), "look at deep/lead.go")
	r := w.ranker(all(Options{}))
	got, _ := why(t, r, event.Query{Session: "s", Task: event.TaskPrompt}, "checks/lead_test.go")
	if got["named_pair"] == 0 {
		t.Errorf("%v", got)
	}
}

// TestCut: of too many candidates the most likely stay, and the one that was asked for.
func TestCut(t *testing.T) {
	p := pool{index: map[event.Path]*candidate{}}
	for i, f := range []event.Path{"asked", "low", "high", "middle", "lower"} {
		p.get(f).values[Comod] = []float64{0, .2, .9, .5, .1}[i]
	}
	by := Values{Comod: 1}
	p.cut(2, Model{Weights: by, UnseenWeights: by}, "asked")
	var left []string
	for _, c := range p.list {
		left = append(left, string(c.path))
	}
	slices.Sort(left)
	fault.Same(t, "left", left, []string{"asked", "high", "middle"})
}
