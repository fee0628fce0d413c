package redis

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// A step is a list of changes and edits, in one text that the apply script and every mirror read. A change is the byte
// of its hot.Do, the name of its set, and unless it removes the whole set the number of members, then each with its
// score. An edit is an e, the file, and Unix milliseconds. Names and numbers are written as length, colon, bytes.
const editMark = 'e'

// stepBytes is how long a step gets: nobody else is served while it is applied, and the stream keeps many.
const stepBytes = 64 << 10

// steps cuts changes and edits into steps of some limit bytes. The same changes are always cut alike, so that a second
// attempt finds which of them are in; what skip names is left out of its step. The last step may be empty.
func steps(changes []hot.Change, edits []hot.Edit, limit int, skip func(*hot.Change) bool) iter.Seq2[[]byte, bool] {
	return func(yield func(step []byte, last bool) bool) {
		var step []byte
		size := 0
		for i := range changes {
			c := changes[i]
			for first := true; first || len(c.Members) > 0; first = false {
				part := c
				length := len(c.Owner) + 64
				n := 0
				for ; n < len(c.Members) && (n == 0 || size+length < limit); n++ {
					length += len(c.Members[n].Name) + 32
				}
				part.Members, c.Members = c.Members[:n], c.Members[n:]
				if size += length; !skip(&part) {
					step = appendChange(step, &part)
				}
				if size >= limit {
					if !yield(step, false) {
						return
					}
					step, size = nil, 0
				}
			}
		}
		for _, e := range edits {
			step = append(step, editMark)
			step = appendWord(appendWord(step, string(e.File)), strconv.FormatInt(e.At.UnixMilli(), 10))
		}
		yield(step, true)
	}
}

func appendWord(step []byte, word string) []byte {
	step = strconv.AppendInt(step, int64(len(word)), 10)
	step = append(step, ':')
	return append(step, word...)
}

func appendChange(step []byte, c *hot.Change) []byte {
	step = appendWord(append(step, byte(c.Do)), name(c))
	if c.Do == hot.RemoveSet {
		return step
	}
	step = appendWord(step, strconv.Itoa(len(c.Members)))
	for _, m := range c.Members {
		step = appendWord(appendWord(step, m.Name), strconv.FormatFloat(m.Score, 'g', -1, 64))
	}
	return step
}

var errStep = errors.New("damaged step")

// decodeStep reads a step: the changes with the names of their sets, and the edits. Changes of sets of
// other families are left out.
func decodeStep(step string) (names []string, changes []hot.Change, edits []hot.Edit, err error) {
	d := stepReader{rest: step}
	for len(d.rest) > 0 && d.err == nil {
		do := hot.Do(d.rest[0])
		d.rest = d.rest[1:]
		name := d.word()
		switch do {
		case editMark:
			p, err := event.NewPath(name)
			if ms := d.integer(); err == nil {
				edits = append(edits, hot.Edit{File: p, At: time.UnixMilli(ms).UTC()})
			}
			continue
		case hot.AddScores, hot.LatestStamps, hot.RemoveMembers, hot.RemoveSet:
		default:
			d.fail()
			continue
		}
		c, ok := parseName(name)
		if c.Do = do; do != hot.RemoveSet {
			c.Members = d.members()
		}
		if ok && d.err == nil && (do != hot.LatestStamps || c.Family.Half == 0) {
			names, changes = append(names, name), append(changes, c)
		}
	}
	return names, changes, edits, d.err
}

// stepReader reads forward; after the first fault every read is zero and err is set.
type stepReader struct {
	rest string
	err  error
}

func (d *stepReader) fail() { d.rest, d.err = "", errStep }

func (d *stepReader) word() string {
	length, rest, ok := strings.Cut(d.rest, ":")
	n, err := strconv.ParseUint(length, 10, 32)
	if !ok || err != nil || n > uint64(len(rest)) {
		d.fail()
		return ""
	}
	d.rest = rest[n:]
	return rest[:n]
}

func (d *stepReader) integer() int64 {
	n, err := strconv.ParseInt(d.word(), 10, 64)
	if err != nil {
		d.fail()
	}
	return n
}

func (d *stepReader) members() []hot.Member {
	n := d.integer()
	if n < 0 || n > int64(len(d.rest)/5) { // each takes at least five bytes, so that a damaged number allocates nothing
		d.fail()
		return nil
	}
	ms := make([]hot.Member, 0, n)
	for range n {
		name := d.word()
		score, err := parseScore(d.word())
		if err != nil || name == "" {
			d.fail()
			return nil
		}
		ms = append(ms, hot.Member{Name: name, Score: score})
	}
	return ms
}

// parseScore refuses what would poison a set.
func parseScore(text string) (float64, error) {
	score, err := strconv.ParseFloat(text, 64)
	if math.IsNaN(score) || math.IsInf(score, 0) {
		err = errStep
	}
	return score, err
}

// position is the number of a stream's entry: entries are numbered one after the other. The rest of an entry's id is
// random, so that the entry of another stream with the same number is another one.
func position(id string) (int64, error) {
	n, _, _ := strings.Cut(id, "-")
	pos, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("stream entry %q: %w", id, err)
	}
	return pos, nil
}
