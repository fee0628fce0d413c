package locate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Place is where a repository's store and socket lie.
type Place struct {
	CommonDir string // the repository's common git dir
	Store     string // folder of database, log, lock and config; 0700
	Socket    string // unix socket; 0600
}

// maxSocket is the longest socket path used in the store: macOS allows 103 bytes, Linux 107.
const maxSocket = 100

// StoreName is the folder inside the common git dir.
const StoreName = "aoa"

// Find says where the store of the repository with that common git dir is, without creating it: inside the
// git dir, or in the user's state folder when an earlier Create could not write there. getenv is os.Getenv, or like it.
func Find(commonDir string, getenv func(string) string) Place {
	store := filepath.Join(commonDir, StoreName)
	if v := getenv("AOA_STORE"); v != "" {
		store = v
	} else if _, err := os.Stat(store); err != nil {
		if other := stateStore(commonDir, getenv); other != "" {
			if _, err := os.Stat(other); err == nil {
				store = other
			}
		}
	}
	return Place{CommonDir: commonDir, Store: store, Socket: socketPath(store, commonDir)}
}

// Create makes the store's folder and, where the socket cannot lie in it, the socket's. It refuses folders of
// another owner and ones that others can enter.
func Create(commonDir string, getenv func(string) string) (Place, error) {
	p := Find(commonDir, getenv)
	err := private(p.Store)
	if other := stateStore(commonDir, getenv); err != nil && other != "" &&
		(errors.Is(err, os.ErrPermission) || readOnly(err)) {
		p = Place{CommonDir: commonDir, Store: other, Socket: socketPath(other, commonDir)}
		err = private(p.Store)
	}
	if err != nil {
		return p, fmt.Errorf("create store: %w", err)
	}
	return p, p.MakeSocketFolder()
}

// MakeSocketFolder makes the folder of a socket that does not lie in the store. It refuses one of another owner.
func (p Place) MakeSocketFolder() error {
	if dir := filepath.Dir(p.Socket); dir != p.Store {
		if err := private(dir); err != nil {
			return &ForeignError{Socket: p.Socket, Err: err}
		}
	}
	return nil
}

// Lock is the file that the daemon holds locked as long as it may write.
func (p Place) Lock() string { return filepath.Join(p.Store, "lock") }

// Exists reports whether the repository was initialised.
func (p Place) Exists() bool {
	st, err := os.Stat(p.Store)
	return err == nil && st.IsDir()
}

// Fingerprint is the first 16 hex digits of the SHA-256 of a path: a short, stable name that does not reveal the path.
func Fingerprint(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

func socketPath(store, commonDir string) string {
	if s := filepath.Join(store, "sock"); len(s) <= maxSocket {
		return s
	}
	return filepath.Join(tempRoot(), "aoa-"+strconv.Itoa(os.Getuid()), Fingerprint(commonDir))
}

func stateStore(commonDir string, getenv func(string) string) string {
	state := StateFolder(getenv)
	if state == "" {
		return ""
	}
	return filepath.Join(state, Fingerprint(commonDir))
}

// StateFolder returns the folder of user state that belongs to no repository, "" if the environment names none.
func StateFolder(getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if state == "" {
		home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
		if home == "" {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "aoa")
}

// Trusted returns an error unless the store and the folder of the socket belong to the caller. A link is not trusted:
// anyone may leave links in /tmp. A folder for the socket that is not there is trusted: the daemon makes it.
func (p Place) Trusted() error {
	if err := own(p.Store); err != nil {
		return err
	}
	if dir := filepath.Dir(p.Socket); dir != p.Store {
		if err := own(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// own returns an error unless name is a folder of the caller.
func own(name string) error {
	st, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is not a folder", name)
	}
	return CheckOwner(name, st)
}

// ForeignError is the refusal of a socket, or of the folder for one, that is not the caller's own.
type ForeignError struct {
	Socket string
	Err    error
}

func (f *ForeignError) Error() string { return fmt.Sprintf("refuse socket %s: %v", f.Socket, f.Err) }

func (f *ForeignError) Unwrap() error { return f.Err }

// Hint says what to do next.
func (f *ForeignError) Hint() string {
	return fmt.Sprintf("ls -ld %s shows whose it is: it has to be yours, or gone; "+
		"or set AOA_STORE to a folder of yours with a short path",
		filepath.Dir(f.Socket))
}

// private makes dir with mode 0700, or checks that an existing one is ours and closes it to others. What is checked and
// changed is one open folder: a link or another folder in its place, put there meanwhile, is neither.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	named, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !named.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	if err := CheckOwner(dir, named); err != nil {
		return err // before it is opened: without the right to, that would pass for a folder that cannot be written
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
		return fmt.Errorf("%s is another folder than a moment ago", dir)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return root.Chmod(".", 0o700)
	}
	// A folder that exists may still lie on a read-only disk.
	probe := ".probe-" + strconv.Itoa(os.Getpid())
	f, err := root.OpenFile(probe, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	return root.Remove(probe)
}
