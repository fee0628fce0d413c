//go:build !linux

package git

const limited = false
