package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/redis/go-redis/v9"
)

// redisClient is redis-cli for scripts, because not every machine has redis-cli: redis-client
// SOCKET COMMAND ARG… It prints the elements of the reply, one per line, and exits 1 if the server
// refuses the command.
func redisClient() {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: os.Args[1], MaxRetries: -1, Protocol: 2,
		DisableIdentity: true})
	args := make([]any, len(os.Args)-2)
	for i, a := range os.Args[2:] {
		args[i] = a
	}
	reply, err := c.Do(context.Background(), args...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	list, ok := reply.([]any)
	if !ok {
		list = []any{reply}
	}
	for _, element := range list {
		fmt.Println(element)
	}
}
