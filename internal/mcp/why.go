package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoa-dev/aoa/internal/api"
)

var whyTool = &mcp.Tool{Name: "why_file",
	Meta:        found("why was this file suggested: score, reasons, evidence from git history"),
	Annotations: reads("Why this file"),
	Description: "The exact arithmetic behind one file's score: every signal with its value and weight, and the counts " +
		"that it rests on."}

type whyIn struct {
	File   string   `json:"file" jsonschema:"relative to the repository or absolute"`
	Files  []string `json:"files,omitempty" jsonschema:"files in hand, as for suggest_files"`
	Prompt string   `json:"prompt,omitempty" jsonschema:"the task in words, as for suggest_files"`
	about
}

// whyOut: probability = 1/(1+e^-(a·Σ value·weight + b)).
type whyOut struct {
	File        string     `json:"file"`
	Probability float64    `json:"probability"`
	Rank        int        `json:"rank" jsonschema:"1 is the best; 0: not among the candidates"`
	Known       bool       `json:"known" jsonschema:"git tracks it, or it is new and not ignored; other files are never suggested"`
	Sum         float64    `json:"sum" jsonschema:"of value times weight over all signals"`
	Calibration [2]float64 `json:"calibration" jsonschema:"a and b of probability = 1/(1+exp(-(a*sum+b)))"`
	Signals     []signal   `json:"signals" jsonschema:"strongest first"`
	At          int64      `json:"at" jsonschema:"when, in unix milliseconds"`
}

type signal struct {
	Signal string  `json:"signal"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
	Text   string  `json:"text,omitempty"`
}

func (s *server) whyFile(ctx context.Context, r Repo, in whyIn) (whyOut, error) {
	file, err := r.file(ctx, in.File)
	if err != nil {
		return whyOut{}, err
	}
	q, err := r.query(ctx, in.Session, in.Files, in.Prompt)
	if err != nil {
		return whyOut{}, err
	}
	ans, err := api.Call(ctx, r.Client, api.Why, api.WhyRequest{File: file, Query: q})
	if err != nil {
		return whyOut{}, err
	}
	out := whyOut{File: ans.File.Display(), Probability: digits(ans.Score), Rank: ans.Rank, Known: ans.Known,
		Sum:         ans.Logit,
		Calibration: ans.Scale, Signals: []signal{}, At: ans.At}
	for _, x := range ans.Reasons {
		out.Signals = append(out.Signals, signal{x.Signal, x.Value, x.Weight, x.Text})
	}
	return out, nil
}
