package main

import "github.com/spf13/cobra"

func (a *app) statuslineInstall() *cobra.Command { return &cobra.Command{Use: "install"} }
