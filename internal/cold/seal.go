package cold

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/aoa-dev/aoa/internal/event"
)

// ErrLostKey is the error for a text whose key is missing, or that was changed. In the second case
// the error is also ErrRow.
var ErrLostKey = errors.New("the key to this text is lost")

// keyLost reports whether the key of something sealed is missing, which is no damage.
func keyLost(err error) bool { return errors.Is(err, ErrLostKey) && !errors.Is(err, ErrRow) }

// Seal encrypts texts, each by itself, so that a file on disk, a backup or a copied repository does
// not reveal them. It uses XChaCha20-Poly1305 with a random nonce of 24 bytes. Each text is bound
// to what it belongs to. The nil Seal stores texts unencrypted, and any Seal can read these. Seal
// is safe for concurrent use.
type Seal struct {
	File string // the file with the keys

	current uint32
	words   []byte                 // the key of Word, derived from the current key
	keys    map[uint32]cipher.AEAD // by id: the current key and earlier ones
}

// The first byte of what Seal returns, and the number of bytes before the encrypted text.
const (
	sealOpen   = 0 // the text follows unencrypted
	sealClosed = 1 // the id of the key, the nonce and the encrypted text follow

	sealHead = 1 + 4 + chacha20poly1305.NonceSizeX
)

// Seal returns the encrypted text, which is 45 bytes longer. of names what it belongs to ("event
// toolu_01"); Open needs the same name.
func (s *Seal) Seal(of string, text []byte) []byte {
	if s == nil {
		return append([]byte{sealOpen}, text...)
	}
	out := make([]byte, sealHead, sealHead+len(text)+chacha20poly1305.Overhead)
	out[0] = sealClosed
	binary.BigEndian.PutUint32(out[1:], s.current)
	_, _ = rand.Read(out[5:]) // rand.Read never fails
	return s.keys[s.current].Seal(out, out[5:], text, []byte(of))
}

// Open is the inverse of Seal. Its error wraps ErrLostKey if the key is missing, if the text
// belongs to something else, or if it was changed. In the latter two cases it wraps ErrRow, too.
func (s *Seal) Open(of string, sealed []byte) ([]byte, error) {
	switch {
	case len(sealed) > 0 && sealed[0] == sealOpen:
		return sealed[1:], nil
	case len(sealed) < sealHead || sealed[0] != sealClosed:
		return nil, fmt.Errorf("open text of %s: %w: it is not a sealed text (%w)", of, ErrLostKey, ErrRow)
	}
	id := binary.BigEndian.Uint32(sealed[1:])
	var key cipher.AEAD
	if s != nil {
		key = s.keys[id]
	}
	if key == nil {
		return nil, fmt.Errorf("open text of %s: %w: it was sealed with key %08x", of, ErrLostKey, id)
	}
	text, err := key.Open(nil, sealed[5:sealHead], sealed[sealHead:], []byte(of))
	if err != nil {
		return nil, fmt.Errorf("open text of %s: %w: it was changed, or belongs to something else (%w)", of, ErrLostKey,
			ErrRow)
	}
	return text, nil
}

// Word returns a keyed hash of a word, so that the word can be found again but not read:
// event.HashedWord and 64 bits. The nil Seal returns the word itself.
func (s *Seal) Word(word string) string {
	if s == nil {
		return word
	}
	mac := hmac.New(sha256.New, s.words)
	mac.Write([]byte(word))
	return event.HashedWord + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:8])
}

// add adds a key of 32 bytes. The first key that is added is the current one.
func (s *Seal) add(key []byte) error {
	sum := sha256.Sum256(key)
	id := binary.BigEndian.Uint32(sum[:])
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return err
	}
	if s.keys == nil {
		s.keys, s.current = map[uint32]cipher.AEAD{}, id
		s.words, err = hkdf.Key(sha256.New, key, nil, "aoa words", 32)
	}
	s.keys[id] = aead
	return err
}
