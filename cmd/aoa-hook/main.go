package main

import (
	"os"

	"github.com/aoa-dev/aoa/hooks/client"
)

func main() { client.Main(os.Args[1:]) }
