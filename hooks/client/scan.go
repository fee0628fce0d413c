package client

// Bounds of a payload, in bytes.
const (
	freeText = 512       // of each string: names, ids, paths
	maxText  = 64 << 10  // of all strings beyond that, together
	maxSwap  = 8 << 10   // of each text of an edit: all of it, or none
	maxKey   = 1 << 10   // of a key
	maxToken = 4 << 10   // of a number
	maxOut   = 192 << 10 // of the whole frame's payload: then it is closed where it stands
	maxIn    = 32 << 20  // read from stdin
	maxDepth = 64        // of nesting that is copied; deeper values become empty
)

// scan copies one JSON object from a stream and makes it smaller on the way: same keys in the same order,
// file bodies emptied (see body.go), long text cut. Its output is valid JSON whenever its input is; when the
// input ends too early (a deadline, maxIn, maxOut) the members that are complete are kept and closed.
type scan struct {
	fill func([]byte) int // reads some bytes; 0 or less at the end
	buf  []byte
	r, w int // buf[r:w] is not consumed yet
	read int

	out   []byte
	long  int  // bytes of long text kept so far
	ended bool // there is no more input, or no more is wanted
	bad   bool // the input is not JSON: nothing of it is sent

	tool  string // of the call that is being copied
	event string
	cwd   string
}

var buffer [64 << 10]byte // one pipe's worth; static, so that small payloads touch few pages

func newScan(fill func([]byte) int) *scan {
	return &scan{fill: fill, buf: buffer[:], out: make([]byte, 0, 4<<10)}
}

// What became of a value.
type fate uint8

const (
	none fate = iota // nothing usable: the caller cuts the output back
	part             // valid, but the input ended inside it
	whole
)

// run copies the object. False means that there is nothing to send.
func (s *scan) run() bool {
	c, ok := s.next()
	return ok && c == '{' && s.object(top, 0) != none && !s.bad && len(s.out) > 2
}

func (s *scan) refill() bool {
	if s.ended {
		return false
	}
	n := 0
	if s.read < maxIn {
		n = s.fill(s.buf)
	}
	if n <= 0 {
		s.ended, s.r, s.w = true, 0, 0
		return false
	}
	s.r, s.w, s.read = 0, n, s.read+n
	return true
}

// end makes the input end here.
func (s *scan) end() { s.ended, s.r, s.w = true, 0, 0 }

func (s *scan) fail() fate {
	s.bad = true
	s.end()
	return none
}

func (s *scan) peek() (byte, bool) {
	if s.r == s.w && !s.refill() {
		return 0, false
	}
	return s.buf[s.r], true
}

// next is the next byte that is not white space, not consumed.
func (s *scan) next() (byte, bool) {
	for {
		c, ok := s.peek()
		if !ok || (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
			return c, ok
		}
		s.r++
	}
}

func (s *scan) put(c byte) { s.out = append(s.out, c) }

func (s *scan) value(at where, depth int) fate {
	c, ok := s.next()
	switch {
	case !ok:
		return none
	case c == '"':
		return s.text(s.keep(at))
	case (c == '{' || c == '[') && depth >= maxDepth:
		return s.empty()
	case c == '{':
		return s.object(at, depth)
	case c == '[':
		return s.array(at, depth)
	}
	return s.token()
}

func (s *scan) object(at where, depth int) fate {
	switch at {
	case calls:
		at, s.tool = one, ""
	case result:
		at = response
	}
	s.r++
	s.put('{')
	for mark := len(s.out); ; mark = len(s.out) {
		c, more, f := s.separator(mark, '}')
		if !more {
			return f
		}
		if c != '"' {
			return s.fail()
		}
		switch f := s.member(at, depth); f {
		case none:
			s.out = s.out[:mark]
			s.put('}')
			return part
		case part:
			s.put('}')
			return part
		}
	}
}

func (s *scan) array(at where, depth int) fate {
	if at == result {
		at = response
	}
	s.r++
	s.put('[')
	for mark := len(s.out); ; mark = len(s.out) {
		_, more, f := s.separator(mark, ']')
		if !more {
			return f
		}
		switch f := s.value(at, depth+1); f {
		case none:
			s.out = s.out[:mark]
			s.put(']')
			return part
		case part:
			s.put(']')
			return part
		}
	}
}

// separator stands between the members of a container whose valid output ends at mark: it returns the first
// byte of the next member, or more = false and the container's fate.
func (s *scan) separator(mark int, closing byte) (c byte, more bool, f fate) {
	if len(s.out) > maxOut {
		s.end()
	}
	first := s.out[mark-1] == closing-2 // '{' and '[' stand two before '}' and ']'
	c, ok := s.next()
	if ok && c == closing {
		s.r++
		s.put(closing)
		return 0, false, whole
	}
	if ok && !first {
		if c != ',' {
			return 0, false, s.fail()
		}
		s.r++
		s.put(',')
		c, ok = s.next()
	}
	if !ok {
		s.out = append(s.out[:mark], closing)
		return 0, false, part
	}
	return c, true, whole
}

// member copies a key and its value. The next byte is the key's quote.
func (s *scan) member(at where, depth int) fate {
	start := len(s.out)
	if f := s.text(keep{limit: maxKey}); f != whole {
		return none
	}
	key := string(s.out[start+1 : len(s.out)-1])
	c, ok := s.next()
	if !ok {
		return none
	}
	if c != ':' {
		return s.fail()
	}
	s.r++
	s.put(':')
	to, drop := s.place(at, key)
	if c, ok = s.next(); !ok {
		return none
	}
	if drop && (c == '"' || c == '{' || c == '[') {
		return s.empty()
	}
	start = len(s.out)
	f := s.value(to, depth+1)
	if f == whole && c == '"' {
		s.note(at, key, s.out[start:])
	}
	return f
}

// token copies a number, true, false or null.
func (s *scan) token() fate {
	start := len(s.out)
	for {
		c, ok := s.peek()
		if !ok {
			return none
		}
		if !isToken(c) {
			break
		}
		if len(s.out)-start >= maxToken {
			s.end()
			return none
		}
		s.put(c)
		s.r++
	}
	switch t := s.out[start:]; string(t) {
	case "true", "false", "null":
		return whole
	default:
		if isNumber(t) {
			return whole
		}
	}
	return s.fail()
}

func isToken(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// isNumber checks the grammar of RFC 8259, section 6.
func isNumber(b []byte) bool {
	i := 0
	digits := func() bool {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return false
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(b)
}
