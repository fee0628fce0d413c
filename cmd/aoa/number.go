package main

import (
	"errors"
	"strconv"
)

// number is the value of a flag that counts something. It is at least 1.
type number int

func (n *number) String() string { return strconv.Itoa(int(*n)) }

func (n *number) Type() string { return "int" }

func (n *number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 {
		return errors.New("use 1 or more")
	}
	*n = number(v)
	return nil
}
