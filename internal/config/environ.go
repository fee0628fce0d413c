package config

import (
	"runtime"
	"slices"
	"strings"
)

// Getenv returns the last value of a name in an environment of NAME=value, "" if there is none. Windows does not care
// about case.
func Getenv(environ []string, name string) string {
	for _, e := range slices.Backward(environ) {
		k, v, ok := strings.Cut(e, "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			return v
		}
	}
	return ""
}
