package watcher

import (
	"bufio"
	"errors"
	"io"
)

// pieces splits the output of git into lines, or into fields that end with a NUL.
type pieces struct {
	rd   *bufio.Reader
	end  byte
	most int
	long []byte
}

// maxField is the number of bytes of a field that are kept. The rest of a longer message is
// skipped.
const maxField = 1 << 20

// newPieces splits a stream after each byte end. It keeps the first most bytes of a piece.
func newPieces(rd io.Reader, end byte, most int) *pieces {
	return &pieces{rd: bufio.NewReaderSize(rd, 128<<10), end: end, most: most}
}

// next returns the next piece without its end; it is valid until the next call. It returns io.EOF
// if the stream ended after a complete piece.
func (p *pieces) next() ([]byte, error) {
	s, err := p.rd.ReadSlice(p.end)
	if err == nil {
		return s[:min(len(s)-1, p.most)], nil
	}
	p.long = p.long[:0]
	keep := func(s []byte) { p.long = append(p.long, s[:min(p.most-len(p.long), len(s))]...) }
	for errors.Is(err, bufio.ErrBufferFull) {
		keep(s)
		s, err = p.rd.ReadSlice(p.end)
	}
	if err == io.EOF && len(s)+len(p.long) > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	keep(s[:len(s)-1])
	return p.long, nil
}
