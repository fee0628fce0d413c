package config

import (
	"fmt"
	"strings"
	"time"
)

// Stage bounds the stage cache.
type Stage struct {
	Bytes  int64         // size of all results
	Keep   time.Duration // a result expires after so long without use
	Output int64         // bytes of one result
}

// stageKeys are the settings of the stage cache and of pipelines.
var stageKeys = []Key{
	{Name: "stage.bytes", Type: "size", Default: "200MB", Allowed: "1MB to 100GB, in B, KB, MB, GB, TB or KiB, MiB, GiB, TiB",
		Help:  "the results of stages are at most so large; the longest unused go first",
		parse: func(c *Config, v string) (err error) { c.Stage.Bytes, err = parseSize(v, 1e6, 100e9); return err }},
	{Name: "stage.keep", Type: "duration", Default: "30d", Allowed: "1h to 3650d",
		Help:  "the result of a stage that was not used for so long goes",
		parse: duration(func(c *Config) *time.Duration { return &c.Stage.Keep }, false, time.Hour, 3650*day)},
	{Name: "stage.output", Type: "size", Default: "16MB", Allowed: "1KB to 256MB, in B, KB, MB or KiB, MiB",
		Help:  "a stage that prints and makes more than that is not kept",
		parse: func(c *Config, v string) (err error) { c.Stage.Output, err = parseSize(v, 1e3, 256<<20); return err }},
	{Name: "pipeline.env", Type: "list", Default: "CI,HOME,USER", Allowed: "empty, or names of variables with commas between them",
		Help:  "variables that a pipeline may read as $ENV_NAME",
		parse: func(c *Config, v string) (err error) { c.PipelineEnv, err = parseNames(v); return err }},
}

// parseNames reads names of environment variables with commas between them.
func parseNames(v string) (out []string, err error) {
	for name := range strings.SplitSeq(v, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		for i, c := range name {
			if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
				return nil, fmt.Errorf("%q is no name of a variable", name)
			}
		}
		out = append(out, name)
	}
	return out, nil
}
