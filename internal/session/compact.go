package session

import "github.com/aoa-dev/aoa/internal/index"

// slack is the share of a budget that is used after a compaction. The prefix then stays the same until the rest is
// used.
const slack = .6

// compact moves the oldest prompts and actions into the summary, when they exceed the budget and not before. The
// newest keepWhole of both stay as they are.
func (t *thread) compact(b Budget) {
	t.compactPrompts(b.prompts())
	t.compactActions(b.Actions)
}

// keepWhole is how many of the newest prompts, and of the newest actions, are never summarized.
const keepWhole = 3

func (t *thread) compactPrompts(tokens int) {
	prompts := t.prompts()
	costs, rest := map[int64]int{}, 0 // of each prompt that is quoted by itself
	relevant := relevantPrompts(prompts)
	for i, p := range relevant {
		most := caps[0][0]
		if i == len(relevant)-1 {
			most = caps[0][1]
		}
		costs[p.seq] = index.Tokens(extract(p.prompt, most)) + labelTokens
		rest += costs[p.seq]
	}
	if index.Tokens(t.summary.gists())+rest <= tokens {
		return
	}
	for len(prompts) > keepWhole && index.Tokens(t.summary.gists())+rest > int(slack*float64(tokens)) {
		t.summary.addPrompt(prompts[0].seq, prompts[0].at, prompts[0].prompt)
		rest -= costs[prompts[0].seq]
		prompts = prompts[1:]
	}
}

// labelTokens are those of a prompt's time and quotation marks.
const labelTokens = 6

func (t *thread) compactActions(tokens int) {
	actions := t.actions()
	if len(actions) <= keepWhole {
		return
	}
	done := formatPhases(t.summary.Phases, int(doneShare*float64(tokens)))
	if index.Tokens(done)+index.Tokens(formatLatest(actions)) <= tokens {
		return
	}
	last := actions[len(actions)-keepWhole-1]
	for _, i := range t.items {
		switch {
		case i.seq > last.Seq:
			return
		case i.prompt != "" && i.seq > t.summary.Work.Prompt:
			t.summary.Work.asked(i.seq)
		case i.prompt == "" && i.seq > t.summary.Done:
			t.summary.addAction(i.action)
		}
	}
}
