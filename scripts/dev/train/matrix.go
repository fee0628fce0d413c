package main

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// factors returns the Cholesky factor of a symmetric matrix. Every curvature of a fit is positive
// definite, because the ridge adds to its diagonal.
func factors(a [][]float64) *mat.Cholesky {
	n := len(a)
	m := mat.NewSymDense(n, nil)
	for i, row := range a {
		for j := i; j < n; j++ {
			m.SetSym(i, j, row[j])
		}
	}
	var f mat.Cholesky
	if !f.Factorize(m) {
		panic(errors.New("the curvature of a fit is not positive definite"))
	}
	return &f
}

// solve returns the solution of a·x = b for a symmetric positive definite matrix.
func solve(a [][]float64, b []float64) []float64 {
	x := mat.NewVecDense(len(b), nil)
	if err := factors(a).SolveVecTo(x, mat.NewVecDense(len(b), b)); err != nil && !errors.As(err, new(mat.Condition)) {
		panic(err) // the sizes differ
	}
	return x.RawVector().Data
}

// invert returns the inverse of a symmetric positive definite matrix.
func invert(a [][]float64) [][]float64 {
	var m mat.SymDense
	if err := factors(a).InverseTo(&m); err != nil && !errors.As(err, new(mat.Condition)) {
		panic(err)
	}
	out := make([][]float64, len(a))
	for i := range out {
		out[i] = make([]float64, len(a))
		for j := range out[i] {
			out[i][j] = m.At(i, j)
		}
	}
	return out
}
