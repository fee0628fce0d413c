// Package agents is the table of coding agents: their hook events, what each is called at Claude
// Code, whether and in which JSON text reaches the model there, how long an answer may take, and
// where their settings are.
//
// Nothing comes in. The package imports nothing and initializes nothing, so that the hook client
// can read it at no cost.
package agents
