// Command empty is what the hook client is measured beside: a Go program that does nothing.
package main

func main() {}
