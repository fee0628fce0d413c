// Package codec defines the one encoding of everything that aOa stores about events: their bodies,
// the states that are computed from them, and the snapshot of all states. It uses CBOR instead of
// JSON because names of files need not be UTF-8.
package codec

import "github.com/fxamacker/cbor/v2"

// The options are constant, so the error is always nil.
var (
	encoding, _ = cbor.EncOptions{Time: cbor.TimeRFC3339NanoUTC}.EncMode()
	decoding, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode()
)

// Encode encodes a value, without the fields that are not exported.
func Encode(v any) ([]byte, error) { return encoding.Marshal(v) }

// Decode decodes data from Encode into a value. The error says what is wrong with the data.
func Decode(data []byte, into any) error { return decoding.Unmarshal(data, into) }
