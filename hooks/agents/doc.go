// Package agents is the table of coding agents: their hook events, the name of each event in Claude
// Code, whether and in which JSON form text reaches the model there, how long an answer may take,
// and where their settings are.
//
// The package imports nothing and initializes nothing, so that the hook client can use it at no
// cost.
package agents
