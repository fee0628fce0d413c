package eval

import (
	"flag"
	"os"
	"testing"
	"time"
)

// Recorded work to measure on, in the form that docs/evaluation.md describes. Without the flag the test is skipped.
var tracesDir = flag.String("traces", "", "replay the recorded work of this folder")

// TestTraces replays recorded work and prints what `aoa eval` prints.
//
//	go test ./internal/eval -run TestTraces -v -traces DIR
func TestTraces(t *testing.T) {
	if *tracesDir == "" {
		t.Skip("give -traces DIR to measure")
	}
	sources, err := Traces(*tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), sources, Settings{Options: Options{Now: time.Now}})
	if err != nil {
		t.Fatal(err)
	}
	r.Print(os.Stdout)
}
