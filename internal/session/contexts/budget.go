package contexts

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/index"
)

// Budget has the largest number of tokens that a context may have. Tokens are as in index.Tokens:
// bytes ÷ 4, rounded up.
type Budget struct {
	Prompts int // for the prompts, including the older ones in short
	Actions int // for the summary of actions and the latest actions
	Total   int // for everything
}

// DefaultBudget keeps a context below 500 tokens, which are 0.3 % of a window of 150,000 and half
// of the shortest prefix that is cached.
var DefaultBudget = Budget{Prompts: 300, Actions: 100, Total: 499}

// stateTokens are reserved for the state of the work: what is not committed, what fails.
const stateTokens = 90

// scaled returns the budget for another total, in the same proportions.
func (b Budget) scaled(total int) Budget {
	if total <= 0 || total == b.Total || b.Total <= 0 {
		return b
	}
	return Budget{b.Prompts * total / b.Total, b.Actions * total / b.Total, total}
}

// prompts returns the tokens for the prompts, leaving room for actions and state. It depends on
// nothing else, because the prompts are the prefix that must stay the same.
func (b Budget) prompts() int {
	return max(0, min(b.Prompts, b.Total-index.Tokens(preamble)-b.Actions-min(stateTokens, b.Total/5)))
}

// fit joins facts in their order. It leaves out the facts with the least weight until the text has
// at most that many tokens; of two equal ones, the later is left out. It returns "" if no fact
// fits.
func fit(facts []fact, tokens int, separator string) string {
	kept := slices.Clone(facts)
	for len(kept) > 0 {
		s := strings.Join(each(kept, func(f fact) string { return f.text }), separator)
		if index.Tokens(s) <= tokens {
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
