package main

import (
	"math"
	"testing"
)

// TestMatrix: a solution solves, an inverse inverts, and what is not positive definite is refused.
func TestMatrix(t *testing.T) {
	a := [][]float64{{4, 1, .5}, {1, 3, -1}, {.5, -1, 2}}
	b := []float64{1, 2, 3}
	x, inverse := solve(a, b), invert(a)
	for i, row := range a {
		sum := 0.0
		for j, v := range row {
			sum += v * x[j]
			unit := 0.0
			for k := range a {
				unit += row[k] * inverse[k][j]
			}
			if want := truth(i == j); math.Abs(unit-want) > 1e-12 {
				t.Errorf("a·a⁻¹ is %v at %d, %d", unit, i, j)
			}
		}
		if math.Abs(sum-b[i]) > 1e-12 {
			t.Errorf("row %d of a·x is %v, want %v", i, sum, b[i])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a matrix that is not positive definite was taken")
		}
	}()
	solve([][]float64{{0, 1}, {1, 0}}, []float64{1, 1})
}
