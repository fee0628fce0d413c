package cold

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// maxKeyFile is the largest file of keys that is read, in bytes. Real ones are much smaller.
const maxKeyFile = 1 << 16

const keyRemark = "# aOa: opens the prompts and tool inputs in the stores of this user's repositories. Keep it to " +
	"yourself.\n"

// OpenSeal reads the user's file of keys (mode 0600). Each line with 64 hexadecimal digits is a
// key. New texts are sealed with the first key, and texts are opened with any of them. So users who
// want to read old texts add the line of the old key. If the file has no key, OpenSeal adds one and
// keeps the other lines.
func OpenSeal(file string) (*Seal, error) {
	raw, err := regularfile.Read(file, regularfile.FollowLinks, maxKeyFile)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fmt.Errorf("open seal: %w", err)
	}
	s := &Seal{File: file}
	if err := s.read(raw); err != nil || len(s.keys) > 0 {
		return s, err
	}
	key := make([]byte, chacha20poly1305.KeySize)
	_, _ = rand.Read(key) // rand.Read never fails
	if missing {
		raw = []byte(keyRemark)
	}
	raw = append(bytes.TrimRight(raw, "\n"), '\n')
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil { // if two processes create the first key at once, one wins
		err = atomicfile.WriteBytes(file, atomicfile.Options{New: missing}, append(raw, hex.EncodeToString(key)+"\n"...))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("open seal: %w", err)
	}
	if raw, err = regularfile.Read(file, regularfile.FollowLinks, maxKeyFile); err == nil {
		err = s.read(raw)
	}
	if err == nil && len(s.keys) == 0 {
		err = fmt.Errorf("%s has no key", file)
	}
	return s, err
}

// read adds the keys in the content of a file.
func (s *Seal) read(raw []byte) error {
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		key, err := hex.DecodeString(strings.TrimSpace(lines.Text()))
		if err != nil || len(key) != chacha20poly1305.KeySize {
			continue
		}
		if err := s.add(key); err != nil {
			return fmt.Errorf("open seal: %w", err)
		}
	}
	return nil
}
