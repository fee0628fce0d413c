package history

import "github.com/aoa-dev/aoa/internal/aoa"

// slack is the part of a budget that is filled after a compaction: the prefix then stays the same until the rest is
// full.
const slack = .6

// compact moves the oldest prompts and actions into the summary, when they have outgrown the budget and not before.
// The newest keep of both stay as they are.
func (t *thread) compact(b Budget, keep int) {
	t.compactPrompts(b.prompts(), keep)
	t.compactActions(b.Actions, keep)
}

func (t *thread) compactPrompts(tokens, keep int) {
	size := func(ps []item) int {
		ps = worthTelling(ps)
		return aoa.Tokens(t.digest.gists()) + sum(sayPrompts(&t.digest, ps, caps[0]))
	}
	prompts := t.prompts()
	if size(prompts) <= tokens {
		return
	}
	for len(prompts) > keep && size(prompts) > int(slack*float64(tokens)) {
		t.digest.say(prompts[0].seq, prompts[0].at, prompts[0].prompt)
		prompts = prompts[1:]
	}
}

func (t *thread) compactActions(tokens, keep int) {
	actions := t.actions()
	if len(actions) <= keep {
		return
	}
	done := tellPhases(t.digest.Phases, int(doneShare*float64(tokens)))
	if aoa.Tokens(done)+aoa.Tokens(tellLatest(actions)) <= tokens {
		return
	}
	last := actions[len(actions)-keep-1]
	for _, i := range t.items {
		switch {
		case i.seq > last.Seq:
			return
		case i.prompt != "" && i.seq > t.digest.Work.Prompt:
			t.digest.Work.asked(i.seq)
		case i.prompt == "" && i.seq > t.digest.Done:
			t.digest.do(i.action)
		}
	}
}
