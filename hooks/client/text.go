package client

// keep says how much of a string is kept.
type keep struct {
	limit    int  // bytes
	line     bool // the first line only
	sentence bool // nothing of a line that begins with a number: a file's content as Read prints it
	all      bool // all of it or null: a part would be mistaken for the whole
}

// text copies a string. The next byte is the opening quote.
func (s *scan) text(k keep) fate {
	s.r++
	s.put('"')
	start := len(s.out)
	full := start + min(k.limit, freeText+maxText-s.long)
	for {
		n := s.plain()
		kept := min(n, full-len(s.out))
		s.out = append(s.out, s.buf[s.r:s.r+kept]...)
		s.r += n
		if kept < n {
			return s.cut(k, start)
		}
		c, ok := s.peek()
		switch {
		case !ok:
			return none
		case c == '"':
			s.r++
			return s.closeText(k, start)
		case c == '\\':
			esc, f := s.escape()
			if f != whole {
				return f
			}
			if len(s.out)+len(esc) > full || k.line && esc[1] == 'n' {
				return s.cut(k, start)
			}
			s.out = append(s.out, esc...)
		case c < 0x20:
			return s.fail()
		}
	}
}

// cut consumes the rest of a string of which enough is kept.
func (s *scan) cut(k keep, start int) fate {
	if !s.skipString() {
		return none
	}
	if k.all {
		s.out = append(s.out[:start-1], "null"...)
		return whole
	}
	s.out = s.out[:start+len(trimRune(s.out[start:]))]
	return s.closeText(k, start)
}

func (s *scan) closeText(k keep, start int) fate {
	if k.sentence && numbered(s.out[start:]) {
		s.out = s.out[:start]
	}
	s.long += max(0, len(s.out)-start-freeText)
	s.put('"')
	return whole
}

// plain counts the bytes in the buffer that stand for themselves.
func (s *scan) plain() int {
	b := s.buf[s.r:s.w]
	for i, c := range b {
		if c == '"' || c == '\\' || c < 0x20 {
			return i
		}
	}
	return len(b)
}

// escape consumes one escape sequence. The next byte is its backslash.
func (s *scan) escape() ([]byte, fate) {
	var e [6]byte
	for n, need := 0, 2; n < need; n++ {
		c, ok := s.peek()
		if !ok {
			return nil, none
		}
		e[n] = c
		s.r++
		switch {
		case n == 1 && c == 'u':
			need = 6
		case n == 1 && !escapable(c), n > 1 && hexValue(c) == 0xff:
			return nil, s.fail()
		}
	}
	if e[1] == 'u' {
		return e[:6], whole
	}
	return e[:2], whole
}

func escapable(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// trimRune takes a UTF-8 sequence that was cut in the middle off the end.
func trimRune(b []byte) []byte {
	for i := 1; i <= 4 && i <= len(b); i++ {
		c := b[len(b)-i]
		if c < 0x80 {
			return b
		}
		if c >= 0xc0 { // the first byte of a sequence says how long it is
			need := 2
			if c >= 0xf0 {
				need = 4
			} else if c >= 0xe0 {
				need = 3
			}
			if i < need {
				return b[:len(b)-i]
			}
			return b
		}
	}
	return b
}

func numbered(line []byte) bool {
	for _, c := range line {
		if c != ' ' {
			return c >= '0' && c <= '9'
		}
	}
	return false
}

// empty writes an empty value of the kind that comes next and consumes the value without copying it.
func (s *scan) empty() fate {
	switch s.buf[s.r] {
	case '"':
		s.out = append(s.out, `""`...)
		s.r++
		if !s.skipString() {
			return part
		}
		return whole
	case '{':
		s.out = append(s.out, "{}"...)
	default:
		s.out = append(s.out, "[]"...)
	}
	for depth := 0; ; {
		c, ok := s.peek()
		if !ok {
			return part
		}
		s.r++
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return whole
			}
		case '"':
			if !s.skipString() {
				return part
			}
		}
	}
}

// skipString consumes a string whose opening quote is consumed already.
func (s *scan) skipString() bool {
	for {
		b := s.buf[s.r:s.w]
		i := 0
		for i < len(b) && b[i] != '"' && b[i] != '\\' {
			i++
		}
		s.r += i
		c, ok := s.peek()
		if !ok {
			return false
		}
		s.r++
		if c == '"' {
			return true
		}
		if c == '\\' {
			if _, ok = s.peek(); !ok {
				return false
			}
			s.r++
		}
	}
}
