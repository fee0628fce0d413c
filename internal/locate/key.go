package locate

import "path/filepath"

// Names in the user's state folder: the key file, and the folder with records of stores.
const (
	keyFile       = "key"
	recordsFolder = "stores"
)

// KeyFile returns the name of the file with the key that encrypts the texts in all stores of the
// user. It is in the state folder; without that folder no store is known.
func KeyFile(getenv func(string) string) string { return filepath.Join(StateFolder(getenv), keyFile) }
