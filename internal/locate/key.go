package locate

import "path/filepath"

// Names in the folder of user state: the file of keys, and the records of stores.
const (
	keyFile       = "key"
	recordsFolder = "stores"
)

// KeyFile is the file with the key that opens the texts in all stores of the user. A store is known
// only where the environment names a folder for it.
func KeyFile(getenv func(string) string) string { return filepath.Join(StateFolder(getenv), keyFile) }
