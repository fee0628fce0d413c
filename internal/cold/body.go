package cold

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// The body of an event is the fields that have no column of their own, each that is not zero as
//
//	number, length, value
//
// A number is a byte, the place in bodyFields; the length a uvarint. A string is its bytes. A list of strings is the
// length and bytes of each. A list of paths is the ids of the files, each the zigzag varint of its difference to the
// one before: git lists files by name, and neighbors were mostly met together. A number is a varint, a time one of
// unix milliseconds, true is nothing, and scores are 8 bytes each.
//
// Fields are added at the end, never moved: stores have them. What statistics read comes first.
var bodyFields = []string{"ID", "Agent", "Paths", "Gone", "Tags", "Subagent", "Tool", "Turn", "Batch", "From", "Named",
	"Seen", "Listing",
	"Terms", "Scores", "OK", "Why", "Cause", "Author", "Task", "Tokens", "Label", "Lines", "Blob"}

// Numbers of fields that are read by themselves.
const (
	fieldID    = 1
	fieldAgent = 2
	fieldPaths = 3
	fieldGone  = 4
	fieldTags  = 5
	fieldSHA   = 255 // the bytes of the sha in an ID "commit:<sha>", instead of that ID
)

var (
	bodyIndex  []int                  // field number - 1 → field of event.Event
	pathFields = [fieldSHA + 1]bool{} // field number → it is a list of paths
)

func init() {
	t := reflect.TypeFor[event.Event]()
	for n, name := range bodyFields {
		f, ok := t.FieldByName(name)
		if !ok {
			panic("event.Event has no field " + name)
		}
		bodyIndex = append(bodyIndex, f.Index[0])
		pathFields[n+1] = f.Type == reflect.TypeFor[[]event.Path]()
	}
}

var errBody = errors.New("its body is damaged")

// encodeBody packs an event. id returns the id of a file.
func encodeBody(e event.Event, id func(event.Path) int64) []byte {
	b := make([]byte, 0, 128)
	var value []byte
	if sha := shaOf(e.ID); sha != nil {
		b = appendPart(b, fieldSHA, sha)
		e.ID = ""
	}
	v := reflect.ValueOf(&e).Elem()
	for n, i := range bodyIndex {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		value = value[:0]
		switch x := f.Addr().Interface().(type) {
		case *[]event.Path:
			last := int64(0)
			for _, p := range *x {
				value = binary.AppendVarint(value, id(p)-last)
				last = id(p)
			}
		case *[]string:
			for _, s := range *x {
				value = append(binary.AppendUvarint(value, uint64(len(s))), s...)
			}
		case *[]float64:
			for _, s := range *x {
				value = binary.BigEndian.AppendUint64(value, math.Float64bits(s))
			}
		case *time.Time:
			value = binary.AppendVarint(value, x.UnixMilli())
		case *int:
			value = binary.AppendVarint(value, int64(*x))
		case *bool:
		default:
			value = append(value, f.String()...)
		}
		b = appendPart(b, byte(n+1), value)
	}
	return b
}

func appendPart(b []byte, number byte, value []byte) []byte {
	b = binary.AppendUvarint(append(b, number), uint64(len(value)))
	return append(b, value...)
}

// bodyParts yields the fields of a body, up to the first that is cut off; number is 0 there.
func bodyParts(b []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		for len(b) > 0 {
			number, rest := b[0], b[1:]
			value, ok := cut(&rest)
			if !ok {
				yield(0, nil)
				return
			}
			if !yield(number, value) {
				return
			}
			b = rest
		}
	}
}

// decodeBody is the inverse of encodeBody. path returns the path of a file. With an error, the event has what was read.
func decodeBody(b []byte, path func(int64) (event.Path, error)) (e event.Event, err error) {
	v, nameless := reflect.ValueOf(&e).Elem(), error(nil)
	for n, value := range bodyParts(b) {
		if n == fieldSHA {
			if e.ID, err = commitID(value); err != nil {
				return e, err
			}
			continue
		}
		if n == 0 || int(n) > len(bodyIndex) {
			return e, errBody
		}
		f := v.Field(bodyIndex[n-1])
		ok := true
		switch x := f.Addr().Interface().(type) {
		case *[]event.Path:
			var missing error
			*x, missing, err = decodePaths(value, path)
			nameless = cmp.Or(nameless, missing)
		case *[]string:
			for ok && len(value) > 0 {
				var s []byte
				s, ok = cut(&value)
				*x = append(*x, string(s))
			}
		case *[]float64:
			for ok = len(value)%8 == 0; ok && len(value) > 0; value = value[8:] {
				*x = append(*x, math.Float64frombits(binary.BigEndian.Uint64(value)))
			}
		case *time.Time:
			var ms int64
			ms, ok = decodeInt(value)
			*x = moment(ms)
			ok = ok && Possible(ms)
		case *int:
			var i int64
			i, ok = decodeInt(value)
			*x = int(i)
		case *bool:
			*x = true
		default:
			f.SetString(string(value))
		}
		if err == nil && !ok {
			err = errBody
		}
		if err != nil {
			return e, err
		}
	}
	if len(e.Scores) > 0 || len(e.From) > 0 { // the lists go together, member by member
		return e, nameless
	}
	return e, nil
}

func decodeInt(b []byte) (int64, bool) {
	n, size := binary.Varint(b)
	return n, size == len(b) && size > 0
}

// decodeIDs reads a list of files.
func decodeIDs(b []byte) (ids []int64, err error) {
	for last := int64(0); len(b) > 0; {
		diff, size := binary.Varint(b)
		if size <= 0 {
			return nil, errBody
		}
		last += diff
		ids, b = append(ids, last), b[size:]
	}
	return ids, nil
}

// decodePaths leaves out a file that has no name any more, and returns the error of one as nameless: one broken page
// of names must not cost every event that names one of them.
func decodePaths(b []byte, path func(int64) (event.Path, error)) (out []event.Path, nameless, err error) {
	ids, err := decodeIDs(b)
	if err != nil {
		return nil, nil, err
	}
	out = make([]event.Path, 0, len(ids))
	for _, id := range ids {
		p, err := path(id)
		if errors.Is(err, ErrRow) {
			nameless = err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		out = append(out, p)
	}
	return out, nameless, nil
}

// filesOf reads the ids of the files that a body acts upon, and of a commit also those that it deletes.
func filesOf(body []byte) (files []int64, err error) {
	for n, value := range bodyParts(body) {
		switch n {
		case 0:
			return nil, fmt.Errorf("%w: %w", ErrRow, errBody)
		case fieldPaths, fieldGone:
			ids, err := decodeIDs(value)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrRow, err)
			}
			files = append(files, ids...)
		case fieldTags:
			return files, nil
		}
	}
	return files, nil
}

// eachTag calls fn with each tag of a body and the files that were acted upon under it.
func eachTag(body []byte, fn func(tag []byte, files []int64)) error {
	var files []int64
	for n, value := range bodyParts(body) {
		var err error
		switch n {
		case 0:
			err = errBody
		case fieldPaths:
			files, err = decodeIDs(value)
		case fieldTags:
			for ok := true; len(value) > 0 && err == nil; {
				var tag []byte
				if tag, ok = cut(&value); !ok {
					err = errBody
				}
				fn(tag, files)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRow, err)
		}
	}
	return nil
}
