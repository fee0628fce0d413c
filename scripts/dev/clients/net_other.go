//go:build unix && !linux

package clients

import "errors"

// caged fails, because network namespaces exist only on Linux: elsewhere the clients get proxies
// that do not work.
func caged(func()) error { return errors.New("network namespaces are Linux's") }
