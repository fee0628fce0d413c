package contexts

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/index"
)

// Budget is the most that a context may cost, in tokens by index.Tokens: bytes ÷ 4, rounded up.
type Budget struct {
	Prompts int // of the prompts, the older ones in short included
	Actions int // of the summary of actions and of the latest actions
	Total   int // of everything
}

// DefaultBudget keeps a context below 500 tokens: 0.3 % of a window of 150,000, and half of the
// shortest prefix that is cached.
var DefaultBudget = Budget{Prompts: 300, Actions: 100, Total: 499}

// stateTokens are reserved for the state of the work: what is not committed, what fails.
const stateTokens = 90

// scaled is the budget for another total, in the same proportions.
func (b Budget) scaled(total int) Budget {
	if total <= 0 || total == b.Total || b.Total <= 0 {
		return b
	}
	return Budget{b.Prompts * total / b.Total, b.Actions * total / b.Total, total}
}

// prompts are the tokens of the prompts, so that actions and state fit. They depend on nothing
// else: prompts are the prefix that must stay the same.
func (b Budget) prompts() int {
	return max(0, min(b.Prompts, b.Total-index.Tokens(preamble)-b.Actions-min(stateTokens, b.Total/5)))
}

// fit joins facts in their order. It leaves out the lightest ones until the text has at most that
// many tokens, and of two equal ones the later. It returns "" if no fact fits.
func fit(facts []fact, tokens int, separator string) string {
	return fitFunc(facts, tokens, func(kept []fact) string {
		var out []string
		for _, f := range kept {
			out = append(out, f.text)
		}
		return strings.Join(out, separator)
	})
}

// fitFunc is fit for facts that format joins.
func fitFunc(facts []fact, tokens int, format func([]fact) string) string {
	kept := slices.Clone(facts)
	for len(kept) > 0 {
		if s := format(kept); index.Tokens(s) <= tokens {
			return s
		}
		least := len(kept) - 1
		for i := len(kept) - 1; i >= 0; i-- {
			if kept[i].weight < kept[least].weight {
				least = i
			}
		}
		kept = slices.Delete(kept, least, least+1)
	}
	return ""
}
