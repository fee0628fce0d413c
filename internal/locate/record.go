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

// An archive or a clone can bring a store of its own, and unpacking makes the user its owner. So a
// store counts only if the user's state folder has a record of it. Create makes a random id and
// writes it into the store and into the name of the record. Nobody else can know the id, and a
// repository that was moved is still recognized.

// StrangerError says that a folder in the place of a store is not one that this user's aoa init
// made there.
type StrangerError struct {
	Store    string
	Original string // the store of which this one is a copy, "" if its id is unknown
}

func (s *StrangerError) Error() string {
	if s.Original != "" {
		return fmt.Sprintf("%s is a copy of %s, and aOa does not use it before you run aoa init here", s.Store, s.Original)
	}
	return s.Store + " was not made by your aoa init: it may be a restored backup, or have come with an archive or a " +
		"clone; aOa neither uses nor deletes it"
}

// Known returns nil if this user's aoa init has made the store, here or where the repository was
// before it was moved. The error is fs.ErrNotExist if there is no store, a *StrangerError if
// somebody else made it, or says who owns the store or the folder of the socket. A link is refused,
// because anyone may leave links in /tmp. The folder of the socket may be missing: it is made
// later.
func (p Place) Known() error {
	if err := own(p.Store); err != nil {
		return err
	}
	if dir := filepath.Dir(p.Socket); dir != p.Store {
		if err := own(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if p.recorded() {
		return nil
	}
	stores := p.recordedAt()
	for _, store := range stores {
		if readID(store) == p.id && !sameFile(store, p.Store) {
			return &StrangerError{p.Store, store}
		}
	}
	if len(stores) == 0 {
		return &StrangerError{Store: p.Store}
	}
	return nil
}

// Stranger returns nil for a store that Create may make, or that is known. Of a folder that was
// neither empty nor missing it reads the id again: another process may have made it a store since
// the place was found.
func (p Place) Stranger() *StrangerError {
	var stranger *StrangerError
	if p.Vacant() {
		return nil
	}
	if p.id == "" {
		p.id = readID(p.Store)
	}
	errors.As(p.Known(), &stranger)
	return stranger
}

// Settings is the file with the user's settings for the repository, "" if the store has no id. It
// lies in the user's state folder: what lies in a repository could name a server to which paths and
// words are sent.
func (p Place) Settings() string {
	if p.id == "" || p.records == "" {
		return ""
	}
	return filepath.Join(p.records, p.id+".yaml")
}

// idFile is the file in a store that has its id, maxID more than it holds, in bytes.
const (
	idFile = "id"
	maxID  = 64
)

// readID reads the id of a store, "" if it has none. An id becomes a part of names, so it has only
// letters and digits.
func readID(store string) string {
	b, _ := regularfile.Read(filepath.Join(store, idFile), regularfile.NoLinks, maxID)
	id := strings.TrimSuffix(string(b), "\n")
	if strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return id
}

// record is the file that makes the store known at its path. It has that path, and the path of the
// git dir.
func (p Place) record() string { return filepath.Join(p.records, Fingerprint(p.Store)+"-"+p.id) }

// recorded reports whether the store is known at its path.
func (p Place) recorded() bool {
	if p.id == "" || p.records == "" {
		return false
	}
	_, err := os.Lstat(p.record())
	return err == nil
}

// recordedAt lists the paths at which a store of that id is known.
func (p Place) recordedAt() (stores []string) {
	for _, name := range p.recordFiles() {
		store, _ := readRecord(name)
		stores = append(stores, store)
	}
	return stores
}

// readRecord returns the paths in a record, "" if it cannot be read.
func readRecord(name string) (store, commonDir string) {
	b, _ := regularfile.Read(name, regularfile.NoLinks, 16<<10)
	store, commonDir, _ = strings.Cut(strings.TrimSuffix(string(b), "\n"), "\n")
	return store, commonDir
}

// Stores are the places of the user's stores in which a daemon may run, in an order that stays.
// Those that are not at their path any more are lost: the repository was moved or deleted, or its
// disk is not mounted.
func Stores(getenv func(string) string) (out []Place, lost []string) {
	state := StateFolder(getenv)
	if state == "" {
		return nil, nil
	}
	records := filepath.Join(state, recordsFolder)
	entries, _ := os.ReadDir(records) // without the folder there are no records
	for _, e := range entries {
		store, commonDir := readRecord(filepath.Join(records, e.Name()))
		switch p := at(store, commonDir, getenv); {
		case store == "" || filepath.Ext(e.Name()) == ".yaml": // no record, but the settings of a store
		case filepath.Base(p.record()) == e.Name():
			out = append(out, p)
		default:
			lost = append(lost, store)
		}
	}
	return out, lost
}

// recordFiles are the records of the id. There are two after a move that a power cut interrupted.
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

// Record records a known store that was moved here, so that a copy of it is not taken for it.
func (p Place) Record() error {
	if p.recorded() {
		return nil
	}
	return p.note()
}

// note records a store that is new, or was moved here.
func (p *Place) note() error {
	if p.records == "" {
		return errors.New("aOa notes in your home folder which stores are yours, and finds none: set HOME")
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

// name gives a store its id. The record comes first, so that whoever finds the id finds the store
// known.
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

// Forget removes the record of the store and its settings. With the last record it deletes the
// user's key and the state folder, and returns true.
func (p Place) Forget() (last bool) {
	for _, name := range append(p.recordFiles(), p.Settings()) {
		os.Remove(name)
	}
	if os.Remove(p.records) != nil { // there are other stores
		return false
	}
	state := filepath.Dir(p.records)
	os.Remove(filepath.Join(state, keyFile))
	os.Remove(state) // if it is empty
	return true
}
