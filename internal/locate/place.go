package locate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Place says where a repository's store and socket are.
type Place struct {
	CommonDir string // the repository's common git dir
	Store     string // folder with database, log, lock and settings; 0700
	Socket    string // unix socket; 0600

	id      string // ID of the store, "" if it has none
	records string // folder with a record of each store of the user, "" if the environment names no state folder
}

// maxSocket is the longest path of a socket in the store, in bytes. macOS allows 103 bytes, Linux
// 107.
const maxSocket = 100

// StoreName is the name of the store's folder in the common git dir.
const StoreName = "aoa"

// Find returns the place of the store of the repository with the given common git dir, without
// creating it. It is inside the git dir unless AOA_STORE names another folder. getenv is os.Getenv
// or a function like it.
func Find(commonDir string, getenv func(string) string) Place {
	return at(cmp.Or(getenv("AOA_STORE"), filepath.Join(commonDir, StoreName)), commonDir, getenv)
}

// at returns the Place of a store.
func at(store, commonDir string, getenv func(string) string) Place {
	p := Place{CommonDir: commonDir, Store: store, Socket: socketPath(store, commonDir), id: readID(store)}
	if state := StateFolder(getenv); state != "" {
		p.records = filepath.Join(state, recordsFolder)
	}
	return p
}

// Create makes the store in a folder that is missing or empty, and, if the socket cannot be in the
// store, a folder for the socket. A known store is left unchanged. Create refuses folders of
// another owner, folders that others can enter, and folders with any other content (with a
// *StrangerError).
func Create(commonDir string, getenv func(string) string) (Place, error) {
	p := Find(commonDir, getenv)
	if err := p.create(); err != nil {
		return p, fmt.Errorf("create store: %w", err)
	}
	return p, p.MakeSocketFolder()
}

// MakeSocketFolder makes the folder of a socket that is not in the store. It refuses a folder of
// another owner.
func (p Place) MakeSocketFolder() error {
	if dir := filepath.Dir(p.Socket); dir != p.Store {
		if err := private(dir); err != nil {
			return &ForeignError{Socket: p.Socket, Err: err}
		}
	}
	return nil
}

// RelativeError says that AOA_STORE is a relative path. Nobody uses such a store: the daemon, commands
// and hooks run in different folders.
type RelativeError struct{ Store string }

func (r *RelativeError) Error() string {
	return fmt.Sprintf("AOA_STORE is %s, which means another folder wherever aOa runs", r.Store)
}

// Hint returns advice on what to do next.
func (r *RelativeError) Hint() string { return "set AOA_STORE to an absolute path" }

// absolute returns a *RelativeError for a store with a relative path.
func (p Place) absolute() error {
	if filepath.IsAbs(p.Store) {
		return nil
	}
	return &RelativeError{p.Store}
}

// create makes the store's folder and its record.
func (p *Place) create() error {
	if err := p.absolute(); err != nil {
		return err
	}
	if stranger := p.Stranger(); stranger != nil {
		return stranger
	}
	if err := private(p.Store); err != nil {
		return err
	}
	if err := p.Record(); err != nil {
		os.Remove(p.Store) // removes it only if it is empty
		return fmt.Errorf("record that the store is yours: %w", err)
	}
	return nil
}

// Lock returns the file that the daemon keeps locked while it may write to the store.
func (p Place) Lock() string { return filepath.Join(p.Store, "lock") }

// Fingerprint returns the first 16 hex digits of the SHA-256 of a path: a short, stable name that
// does not reveal the path.
func Fingerprint(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])[:fingerprintLength]
}

const fingerprintLength = 16

// IsFingerprint reports whether a name has the form of a Fingerprint.
func IsFingerprint(name string) bool {
	return len(name) == fingerprintLength && strings.Trim(name, "0123456789abcdef") == ""
}

func socketPath(store, commonDir string) string {
	if s := filepath.Join(store, "sock"); len(s) <= maxSocket {
		return s
	}
	return filepath.Join(tempRoot(), "aoa-"+strconv.Itoa(os.Getuid()), Fingerprint(commonDir))
}

// StateFolder returns the user's state folder, which belongs to no repository, or "" if the
// environment names none.
func StateFolder(getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification of these folders says that a relative path is invalid
		home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
		if !filepath.IsAbs(home) {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "aoa")
}

// own describes a folder. It returns an error unless name is a folder that belongs to the caller.
func own(name string) (fs.FileInfo, error) {
	st, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", name)
	}
	return st, CheckOwner(name, st)
}

// ForeignError says that a socket, or the folder of a socket, belongs to another user.
type ForeignError struct {
	Socket string
	Err    error
}

func (f *ForeignError) Error() string { return fmt.Sprintf("refuse socket %s: %v", f.Socket, f.Err) }

func (f *ForeignError) Unwrap() error { return f.Err }

// Hint returns advice on what to do next.
func (f *ForeignError) Hint() string {
	return fmt.Sprintf("ls -ld %s shows its owner; if that is not you, remove it, "+
		"or set AOA_STORE to a folder of yours with a short path",
		filepath.Dir(f.Socket))
}

// private makes dir with mode 0700, or checks that an existing one belongs to the caller and
// removes the access of others. It checks and changes one open folder, so that no one can put a
// link or another folder in its place meanwhile.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	named, err := own(dir)
	if err != nil {
		return err // checked first: a folder of another user would look like one that cannot be written
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	st, err := root.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(st, named) {
		return fmt.Errorf("%s was replaced by another folder meanwhile", dir)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return root.Chmod(".", 0o700)
	}
	return nil
}

// Names in the user's state folder: the key file, and the folder with records of stores.
const (
	keyFile       = "key"
	recordsFolder = "stores"
)

// KeyFile returns the name of the file with the key that encrypts the texts in all stores of the
// user. It is in the state folder; without that folder no store is known.
func KeyFile(getenv func(string) string) string { return filepath.Join(StateFolder(getenv), keyFile) }
