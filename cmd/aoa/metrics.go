package main

import (
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) metrics() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics",
		Short: "the daemon's metrics in Prometheus text",
		Long: `Prints the metrics; docs/api.md lists them. To let a collector fetch them over TCP set
metrics_addr, for example: aoa config metrics_addr 127.0.0.1:9464`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			raw, err := api.Call(c.Context(), client, api.Metrics, api.None{})
			if err != nil {
				return err
			}
			_, err = a.out.Write(raw)
			return err
		},
	}
}
