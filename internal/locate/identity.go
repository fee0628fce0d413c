package locate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Identity is the file with the key that opens the texts in all stores of the user, "" if the environment names no
// folder for it.
func Identity(getenv func(string) string) string {
	state := StateFolder(getenv)
	if state == "" {
		return ""
	}
	return filepath.Join(state, "identity")
}

// AddStore notes that the texts of a store need the identity. The list begins together with the identity: beside one
// that was brought from elsewhere nothing is noted, since other stores may need it.
func AddStore(store string, getenv func(string) string) error {
	list := storeList(getenv)
	if _, err := os.Lstat(Identity(getenv)); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(list, 0o700); err != nil {
			return err
		}
	}
	err := os.WriteFile(filepath.Join(list, Fingerprint(store)), []byte(store+"\n"), 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// RemoveStore takes a store off the list. If it was the last one, it deletes the identity and the folder, and reports
// that.
func RemoveStore(store string, getenv func(string) string) bool {
	list := storeList(getenv)
	os.Remove(filepath.Join(list, Fingerprint(store)))
	if err := os.Remove(list); err != nil { // there are other stores, or the list does not exist
		return false
	}
	os.Remove(Identity(getenv))
	os.Remove(StateFolder(getenv)) // if it is empty
	return true
}

func storeList(getenv func(string) string) string {
	return filepath.Join(StateFolder(getenv), "stores")
}
