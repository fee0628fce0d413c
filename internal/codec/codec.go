// Package codec has the one encoding of what aOa stores about events: their bodies, the states that
// are folded from them, and the snapshot of all states. It is CBOR and not JSON because names of
// files need not be UTF-8.
package codec

import "github.com/fxamacker/cbor/v2"

// The options are constants, so there is no error.
var (
	encoding, _ = cbor.EncOptions{Time: cbor.TimeRFC3339NanoUTC}.EncMode()
	decoding, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode()
)

// Encode encodes a value. Fields that are not exported are left out.
func Encode(v any) ([]byte, error) { return encoding.Marshal(v) }

// Decode decodes into a value what Encode has encoded. The error says what is wrong with the data.
func Decode(data []byte, into any) error { return decoding.Unmarshal(data, into) }
