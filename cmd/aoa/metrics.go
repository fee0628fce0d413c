package main

import (
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) metrics() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics",
		Short: "the daemon's metrics in Prometheus text",
		Long: `Prints the metrics; docs/api.md lists them. To let a collector fetch them over TCP, set
metrics_addr, for example: aoa config metrics_addr 127.0.0.1:9464`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			a.json = false // the text is the answer
			var err error
			if failed := show(c, a, api.Metrics, api.None{}, func(raw []byte) { _, err = a.out.Write(raw) }); failed != nil {
				return failed
			}
			return err
		},
	}
}
