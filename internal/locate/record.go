package locate

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// An archive or a clone can contain a store, and unpacking it makes the user its owner. Therefore a
// store is trusted only if the user's state folder has a record of it. Create makes a random ID and
// writes it into the store and into the name of the record. No one else can know the ID, and a
// repository that was moved is still recognized.

// StrangerError says that the folder at the place of a store was not made there by this user's aoa
// init.
type StrangerError struct {
	Store    string
	Original string // the store that was copied to this place, "" if the ID is unknown
}

func (s *StrangerError) Error() string {
	if s.Original != "" {
		return fmt.Sprintf("%s is a copy of %s, and aOa does not use it before you run aoa init here", s.Store, s.Original)
	}
	return s.Store + " was not made by your aoa init: it may be a restored backup, or have come with an archive or a " +
		"clone; aOa neither uses nor deletes it"
}

// Known returns nil if this user's aoa init has made the store, here or where the repository was
// before it was moved. The error is fs.ErrNotExist if there is no store, a *StrangerError if the
// store has no record, a *RelativeError, or an error about the owner of the store or of the socket's
// folder. A link is refused, because anyone may create links in /tmp. The folder of the socket may be
// missing; it is made later.
func (p Place) Known() error {
	if err := p.absolute(); err != nil {
		return err
	}
	if _, err := own(p.Store); err != nil {
		return err
	}
	if dir := filepath.Dir(p.Socket); dir != p.Store {
		if _, err := own(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if p.recorded() {
		return nil
	}
	records := p.recordFiles()
	for _, name := range records {
		if store, _ := readRecord(name); readID(store) == p.id && !sameFile(store, p.Store) {
			return &StrangerError{p.Store, store}
		}
	}
	if len(records) == 0 {
		return &StrangerError{Store: p.Store}
	}
	return nil
}

// Stranger returns nil for a store that Create may make or that is known. For a folder with content
// it reads the ID again, because another process may have made a store of it since the place was
// found.
func (p Place) Stranger() *StrangerError {
	if p.Vacant() {
		return nil
	}
	if p.id == "" {
		p.id = readID(p.Store)
	}
	stranger, _ := errors.AsType[*StrangerError](p.Known())
	return stranger
}

// Settings returns the file with the user's settings for the repository, "" if the store has no ID.
// The file is in the user's state folder, because a file in the repository could name a server to
// which paths and words are sent.
func (p Place) Settings() string {
	if p.id == "" || p.records == "" {
		return ""
	}
	return filepath.Join(p.records, p.id+".yaml")
}

// idFile is the name of the file with the store's ID. maxID is the most that is read of it, in
// bytes.
const (
	idFile = "id"
	maxID  = 64
)

// readID returns the ID of a store, "" if it has none. The ID becomes part of file names, so only
// letters and digits are accepted.
func readID(store string) string {
	b, _ := regularfile.Read(filepath.Join(store, idFile), regularfile.NoLinks, maxID)
	id := strings.TrimSuffix(string(b), "\n")
	if strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return id
}

// record returns the name of the file that makes the store known at its path. The file contains
// that path and the path of the git dir.
func (p Place) record() string { return filepath.Join(p.records, Fingerprint(p.Store)+"-"+p.id) }

// recorded reports whether there is a record of the store at its path.
func (p Place) recorded() bool {
	if p.id == "" || p.records == "" {
		return false
	}
	_, err := os.Lstat(p.record())
	return err == nil
}

// readRecord returns the two paths in a record, "" if it cannot be read.
func readRecord(name string) (store, commonDir string) {
	b, _ := regularfile.Read(name, regularfile.NoLinks, 16<<10)
	store, commonDir, _ = strings.Cut(strings.TrimSuffix(string(b), "\n"), "\n")
	return store, commonDir
}

// Stores returns the places of the user's stores in which a daemon may run, in a fixed order. lost
// lists the stores that are not at their path any more: the repository was moved or deleted, or its
// disk is not mounted.
func Stores(getenv func(string) string) (out []Place, lost []string) {
	state := StateFolder(getenv)
	if state == "" {
		return nil, nil
	}
	records := filepath.Join(state, recordsFolder)
	entries, _ := os.ReadDir(records) // if the folder is missing there are no records
	for _, e := range entries {
		store, commonDir := readRecord(filepath.Join(records, e.Name()))
		switch p := at(store, commonDir, getenv); {
		case store == "" || filepath.Ext(e.Name()) == ".yaml": // it is not a record but the settings of a store
		case filepath.Base(p.record()) == e.Name():
			out = append(out, p)
		default:
			lost = append(lost, store)
		}
	}
	return out, lost
}

// recordFiles returns the records with this ID. After a move that was interrupted by a power cut
// there are two.
func (p Place) recordFiles() (names []string) {
	if p.id == "" || p.records == "" {
		return nil
	}
	entries, _ := os.ReadDir(p.records)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "-"+p.id) {
			names = append(names, filepath.Join(p.records, e.Name()))
		}
	}
	return names
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// Record makes a record of a store that is new or was moved here, so that a copy of the store is not
// mistaken for it.
func (p *Place) Record() error {
	if p.recorded() {
		return nil
	}
	if p.records == "" {
		return errors.New("aOa records in your home folder which stores are yours, and there is no home folder: set HOME")
	}
	if err := os.MkdirAll(p.records, 0o700); err != nil {
		return err
	}
	if p.id == "" {
		return p.name()
	}
	old := p.recordFiles()
	if err := p.writeRecord(); err != nil {
		return err
	}
	for _, name := range old {
		os.Remove(name)
	}
	return nil
}

// name gives a store its ID. It writes the record first, so that the store is known as soon as it
// has the ID.
func (p *Place) name() error {
	fresh := *p
	fresh.id = rand.Text()
	if err := fresh.writeRecord(); err != nil {
		return err
	}
	err := atomicfile.WriteBytes(filepath.Join(p.Store, idFile), atomicfile.Options{New: true}, []byte(fresh.id+"\n"))
	if err != nil {
		os.Remove(fresh.record())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // if it exists, another process was faster
		return err
	}
	p.id = readID(p.Store)
	return p.Known()
}

func (p Place) writeRecord() error {
	return atomicfile.WriteBytes(p.record(), atomicfile.Options{}, []byte(p.Store+"\n"+p.CommonDir+"\n"))
}

// Forget removes the record of the store and its settings. If that was the last record, it also
// deletes the user's key and the state folder, and returns true.
func (p Place) Forget() (last bool) {
	for _, name := range append(p.recordFiles(), p.Settings()) {
		os.Remove(name)
	}
	if os.Remove(p.records) != nil { // not empty: there are other stores
		return false
	}
	state := filepath.Dir(p.records)
	os.Remove(filepath.Join(state, keyFile))
	os.Remove(state) // removes it only if it is empty
	return true
}
