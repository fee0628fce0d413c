package prefetch

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Tally counts the predicted files of one arm; of a kind that shows lists, the lists.
type Tally struct {
	Predicted int64 `json:"decided"` // files predicted
	// of these, those whose horizon is over or that were opened; of lists, those whose turn opened a file
	Settled int64 `json:"settled"`
	Used    int64 `json:"right"` // of these, those that were opened in time; of lists, those of which one file was
}

// Record is what a kind's predictions came to.
type Record struct {
	Kind                    Kind
	Shown, Withheld, Shadow Tally
	Tokens                  int64 // estimated tokens of what was shown
	Retired                 bool  // it keeps silent, for showing it changed nothing
}

// Records returns the record of every kind that has predicted anything, in the order of Kinds. One round trip.
func (p *Prefetcher) Records(ctx context.Context) ([]Record, error) {
	v := p.store.View(time.Time{})
	facts := v.Facts(factRecord)
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	var out []Record
	for _, k := range Kinds() {
		if r := recordOf(facts.Fields, k); r != (Record{Kind: k}) {
			out = append(out, r)
		}
	}
	return out, nil
}

func recordOf(facts map[string]string, k Kind) Record {
	n := func(f Arm, what string) int64 { return int64(math.Round(parse(facts[recordField(k, f, what)]))) }
	tally := func(f Arm) Tally { return Tally{n(f, "predicted"), n(f, "settled"), n(f, "used")} }
	return Record{k, tally(Shown), tally(Withheld), tally(Shadow), n(Shown, "tokens"),
		facts[recordField(k, Shown, "retired")] != ""}
}

// recordField names a count.
func recordField(k Kind, f Arm, what string) string { return string(k) + ":" + string(f) + ":" + what }
