package cold

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// SealOptions say where the keys lie. A store has data keys of its own, each wrapped for the user's identity, which
// lies elsewhere: who has only one of the two reads nothing.
type SealOptions struct {
	Identity string       // file with the user's age identity, 0600; made if missing
	Keys     string       // folder with the store's wrapped data keys; made if missing
	Log      *slog.Logger // gets one warning when a data key was lost; may be nil
}

const (
	keySuffix   = ".age"
	lostWarning = "the key to stored prompts and tool inputs is lost: those texts cannot be read, all else is kept; " +
		"if you have the old identity, put its line into the identity file and restart the daemon (aoa daemon stop)"
)

// OpenSeal unwraps the store's data keys, and makes what is missing: the identity, and a data key when there is none
// that it can open. A wrapped key that cannot be opened stays where it is and is tried again at every start: when the
// identity comes back, so do its texts.
func OpenSeal(o SealOptions) (*Seal, error) {
	if err := os.MkdirAll(o.Keys, 0o700); err != nil {
		return nil, fmt.Errorf("open seal: %w", err)
	}
	names, err := filepath.Glob(filepath.Join(globLiteral.Replace(o.Keys), "*"+keySuffix))
	if err != nil {
		return nil, fmt.Errorf("open seal: %w", err)
	}
	s := &Seal{}
	for _, name := range names { // in the order of their numbers: the newest that opens is used
		id, key, err := unwrap(name, o.Identity)
		switch {
		case err != nil && reachable(name) != nil:
			return nil, fmt.Errorf("open seal: %w", err) // not lost, only out of reach now
		case err != nil:
			s.lost++
			continue
		}
		if err := s.add(id, key); err != nil {
			return nil, fmt.Errorf("open seal: %s: %w", name, err)
		}
	}
	if len(s.keys) > 0 {
		return s, nil
	}
	if len(names) > 0 && o.Log != nil {
		o.Log.Warn(lostWarning, "identity", o.Identity, "keys", o.Keys)
	}
	if err := s.begin(o, len(names)); err != nil {
		return nil, fmt.Errorf("open seal: %w", err)
	}
	s.fresh.Store(len(names) == 0)
	return s, nil
}

// reachable reports why a file cannot be read, nil if it can.
func reachable(name string) error {
	f, err := regularfile.Open(name, regularfile.FollowLinks)
	if err != nil {
		return err
	}
	return f.Close()
}

// begin makes a new data key and wraps it.
func (s *Seal) begin(o SealOptions, number int) error {
	who, err := identity(o.Identity)
	if err != nil {
		return err
	}
	var id [4]byte
	key := make([]byte, chacha20poly1305.KeySize)
	_, _ = rand.Read(id[:])
	_, _ = rand.Read(key)
	name := fmt.Sprintf("%04d-%x", number+1, id)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n", identityRemark, o.Identity)
	if err := wrap(&b, key, who.Recipient()); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(filepath.Join(o.Keys, name+keySuffix), atomicfile.Options{New: true},
		b.Bytes()); err != nil {
		return err
	}
	number32, _ := strconv.ParseUint(fmt.Sprintf("%x", id), 16, 32) // of eight hex digits
	return s.add(uint32(number32), key)
}

// identityRemark begins the line of a wrapped key that says where its identity was: the user's folder may be another
// one for a daemon that a hook started, whose environment is poor.
const identityRemark = "# identity: "

func wrap(to io.Writer, key []byte, who age.Recipient) error {
	armored := armor.NewWriter(to)
	w, err := age.Encrypt(armored, who)
	if err != nil {
		return err
	}
	if _, err := w.Write(key); err != nil {
		return err
	}
	return errors.Join(w.Close(), armored.Close())
}

// unwrap reads a wrapped data key with the identity of that file, or of the one that the key itself names.
func unwrap(name, identityFile string) (id uint32, key []byte, err error) {
	raw, err := regularfile.Read(name, regularfile.NoLinks, 1<<16)
	if err != nil {
		return 0, nil, err
	}
	_, hex, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), keySuffix), "-")
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: not the name of a key: %w", name, err)
	}
	body := string(raw)
	files := []string{identityFile}
	for strings.HasPrefix(body, "#") {
		var line string
		line, body, _ = strings.Cut(body, "\n")
		if at, ok := strings.CutPrefix(line, identityRemark); ok && strings.TrimSpace(at) != identityFile {
			files = append(files, strings.TrimSpace(at))
		}
	}
	var who []age.Identity
	for _, f := range files {
		found, ferr := readIdentity(f)
		if ferr != nil {
			err = errors.Join(err, ferr)
		}
		who = append(who, found...)
	}
	if len(who) == 0 {
		return 0, nil, fmt.Errorf("no identity: %w", err)
	}
	r, err := age.Decrypt(armor.NewReader(strings.NewReader(body)), who...)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", name, err)
	}
	key, err = io.ReadAll(io.LimitReader(r, chacha20poly1305.KeySize+1))
	if err == nil && len(key) != chacha20poly1305.KeySize {
		err = fmt.Errorf("%s: a key of %d bytes", name, len(key))
	}
	return uint32(n), key, err
}

func readIdentity(file string) ([]age.Identity, error) {
	f, err := regularfile.Open(file, regularfile.FollowLinks)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return age.ParseIdentities(io.LimitReader(f, 1<<16))
}

// identity reads the user's identity, or makes one. Of two that do so at once, one wins.
func identity(file string) (*age.X25519Identity, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	fresh, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	err = atomicfile.WriteBytes(file, atomicfile.Options{New: true}, fmt.Appendf(nil,
		"# aOa: opens the prompts and tool inputs in the stores of this user's repositories. Keep it to yourself.\n"+
			"# public key: %s\n%s\n", fresh.Recipient(), fresh))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	found, err := readIdentity(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, i := range found {
		if x, ok := i.(*age.X25519Identity); ok {
			return x, nil
		}
	}
	return nil, fmt.Errorf("%s has no X25519 identity (AGE-SECRET-KEY-1…): move it away and a new one is made", file)
}
