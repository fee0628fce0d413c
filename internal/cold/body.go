package cold

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// The body of a row is the fields of an event that have no column of their own, each that is not zero as
//
//	number, length, value
//
// A number is a byte, the place in fieldNames; the length a uvarint. A string is its bytes. A list of strings is the
// length and bytes of each. A list of paths is the ids of the files, each the zigzag varint of its difference to the
// one before: git lists files by name, and neighbors were mostly met together. A number is a varint, a time one of
// unix milliseconds, true is nothing, and scores are 8 bytes each. The column kind says which event.Body it is.
//
// Names are added at the end, never moved: stores have them. What statistics read comes first.
var fieldNames = []string{"ID", "Agent", "Paths", "Gone", "Tags", "Subagent", "Turn", "Tool", "Batch", "Failure",
	"From", "Named", "Seen", "Listing", "Terms", "Tokens", "Offset", "Limit", "Blob", "Act", "Name", "Arm", "Label",
	"Task", "Scores", "Change", "Cause", "Used", "Helped", "Value", "Source", "Reason", "Job", "Files", "Author",
	"Check", "Failing", "Idents", "Looks", "Folder", "Glob", "Mode", "Fold", "Secret", "Cut", "Digest", "Bytes",
	"Checks", "Past", "Before", "State"}

// Numbers of fields that are read by themselves.
const (
	fieldAgent = 2
	fieldPaths = 3 // also Rename.To
	fieldGone  = 4
	fieldTags  = 5
	fieldSHA   = 255 // the bytes of the sha in an ID "commit:<sha>", instead of that ID
)

// layout says how the values of a type are stored.
type layout struct {
	index [fieldSHA + 1]int // field number → 1 + place of the field, 0 for none
	order []byte            // the numbers that it has
	text  int               // the place of the field Text, which has a column; -1 for none
	pairs bool              // its lists go together, member by member
}

var (
	envelopeLayout = layoutOf(reflect.TypeFor[event.Event](), "Time", "Origin", "Session", "Body")
	bodyLayouts    = map[reflect.Type]*layout{}
)

func init() {
	for _, k := range event.Kinds() {
		t := reflect.TypeOf(event.NewBody(k))
		bodyLayouts[t] = layoutOf(t, "Text", "Command", "Edits")
	}
}

// layoutOf is the layout of a type, of which some fields have columns of their own.
func layoutOf(t reflect.Type, columns ...string) *layout {
	l := &layout{text: -1}
	for i := range t.NumField() {
		name := t.Field(i).Name
		if slices.Contains(columns, name) {
			if name == "Text" {
				l.text = i
			}
			continue
		}
		n := slices.Index(fieldNames, name) + 1
		if name == "To" {
			n = fieldPaths
		}
		if n == 0 {
			panic(fmt.Sprintf("%v.%s has no number", t, name))
		}
		l.index[n] = i + 1
		l.order = append(l.order, byte(n))
		l.pairs = l.pairs || name == "Scores" || name == "From"
	}
	slices.Sort(l.order)
	return l
}

var errBody = errors.New("its body is damaged")

// encodeBody packs an event. id returns the id of a file.
func encodeBody(e event.Event, id func(event.Path) int64) []byte {
	b := make([]byte, 0, 128)
	if sha := shaOf(e.ID); sha != nil {
		b = appendPart(b, fieldSHA, sha)
		e.ID = ""
	}
	b = envelopeLayout.append(b, reflect.ValueOf(e), reflect.Value{}, id)
	if e.Body == nil {
		return b
	}
	v := reflect.ValueOf(e.Body)
	return bodyLayouts[v.Type()].append(b, v, reflect.ValueOf(event.NewBody(e.Kind())), id)
}

// append packs the fields of a value, but for texts that are those of base.
func (l *layout) append(b []byte, v, base reflect.Value, id func(event.Path) int64) []byte {
	var value []byte
	for _, n := range l.order {
		f := v.Field(l.index[n] - 1)
		if f.IsZero() || base.IsValid() && f.Kind() == reflect.String && f.String() == base.Field(l.index[n]-1).String() {
			continue
		}
		value = value[:0]
		switch x := f.Interface().(type) {
		case []event.Path:
			last := int64(0)
			for _, p := range x {
				value = binary.AppendVarint(value, id(p)-last)
				last = id(p)
			}
		case []string:
			for _, s := range x {
				value = append(binary.AppendUvarint(value, uint64(len(s))), s...)
			}
		case []float64:
			for _, s := range x {
				value = binary.BigEndian.AppendUint64(value, math.Float64bits(s))
			}
		case time.Time:
			value = binary.AppendVarint(value, x.UnixMilli())
		case int:
			value = binary.AppendVarint(value, int64(x))
		case bool:
		default:
			value = append(value, f.String()...)
		}
		b = appendPart(b, n, value)
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

// decodeBody is the inverse of encodeBody, path returns the path of a file, open the text of an event. With an error, the
// event has what was read.
func decodeBody(kind event.Kind, b []byte, open func(id string) []byte,
	path func(int64) (event.Path, error)) (e event.Event, err error) {
	base := event.NewBody(kind)
	if base == nil {
		return e, fmt.Errorf("its kind %.20q is of a newer version", string(kind))
	}
	l := bodyLayouts[reflect.TypeOf(base)]
	body := reflect.New(reflect.TypeOf(base)).Elem()
	body.Set(reflect.ValueOf(base))
	envelope, nameless := reflect.ValueOf(&e).Elem(), error(nil)
	var seen [fieldSHA + 1]bool
	for n, value := range bodyParts(b) {
		var missing error
		switch {
		case seen[n]: // a field is written once
			err = errBody
		case n == fieldSHA:
			e.ID, err = commitID(value)
		case envelopeLayout.index[n] > 0:
			envelope.Field(envelopeLayout.index[n] - 1).SetString(string(value))
		case l.index[n] > 0:
			missing, err = decodeField(body.Field(l.index[n]-1), value, path)
		default:
			err = errBody
		}
		seen[n], nameless = true, cmp.Or(nameless, missing)
		if err != nil {
			break
		}
	}
	if l.text >= 0 {
		body.Field(l.text).SetString(string(open(e.ID)))
	}
	e.Body = body.Interface().(event.Body)
	if err == nil && e.Kind() != kind {
		err = errBody
	}
	if err == nil && l.pairs {
		err = nameless
	}
	return e, err
}

// decodeField reads a value. missing says that a file has no name.
func decodeField(f reflect.Value, value []byte, path func(int64) (event.Path, error)) (missing, err error) {
	ok := true
	switch x := f.Addr().Interface().(type) {
	case *[]event.Path:
		*x, missing, err = decodePaths(value, path)
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
	return missing, err
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
