package locate

import "path/filepath"

// Names in the folder of user state: the identity, and the records of stores.
const (
	identityFile  = "identity"
	recordsFolder = "stores"
)

// Identity is the file with the key that opens the texts in all stores of the user, "" if the environment names no
// folder for it.
func Identity(getenv func(string) string) string {
	state := StateFolder(getenv)
	if state == "" {
		return ""
	}
	return filepath.Join(state, identityFile)
}
