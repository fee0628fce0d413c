package hot

import (
	"fmt"
	"strconv"
	"strings"
)

// The embedded server is made for tests: of the work of a batch it spent more than half on printing, parsing and
// dispatching commands that came from the same process. So it is not sent them: what follows is the twin of the few
// commands that this package uses, on the server's own maps. The differential suite holds it against real servers.

// put is a ZADD of the embedded server.
type put struct {
	after int    // so many commands of the step come before it
	flag  string // "", "GT" or "NX"
	key   string
	ms    []member
}

// put adds a ZADD to the step.
func (w *writes) put(key, flag string, ms []member, score func(member) float64) {
	own := make([]member, len(ms))
	for i, m := range ms {
		own[i] = member{m.name, score(m)}
	}
	w.puts = append(w.puts, put{len(w.cmds), flag, key, own})
	w.args += 2 * len(ms)
	if w.args >= argsPerStep && !w.whole {
		w.err = w.flush(false)
	}
}

// execute carries out commands and puts in their order, all before any view reads on. The caller holds s.writing.
func (s *Store) execute(cmds [][]any, puts []put) error {
	s.maps.Lock()
	defer s.maps.Unlock()
	for i, args := range cmds {
		for len(puts) > 0 && puts[0].after <= i {
			if err := s.zadd(puts[0]); err != nil {
				return err
			}
			puts = puts[1:]
		}
		if err := s.command(args); err != nil {
			return fmt.Errorf("%s %v: %w", args[0], args[1], err)
		}
	}
	for _, p := range puts {
		if err := s.zadd(p); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) zadd(p put) error {
	ms := p.ms
	set := s.set(p.key)
	if set == nil && len(ms) > 0 {
		if _, err := s.db.ZAdd(p.key, ms[0].score, ms[0].name); err != nil {
			return fmt.Errorf("set %q: %w", p.key, err)
		}
		set, ms = s.set(p.key), ms[1:]
	}
	for _, m := range ms {
		if p.flag != "" {
			if old, ok := set[m.name]; ok && (p.flag == "NX" || m.score <= old && !s.ahead(old)) {
				continue
			}
		}
		set[m.name] = m.score
	}
	return nil
}

// command carries out one command of those that the batches and the housekeeping make.
func (s *Store) command(args []any) error {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = text(a)
	}
	key, rest := words[1], words[2:]
	switch words[0] {
	case "SET":
		return s.db.Set(key, rest[0])
	case "DEL":
		for _, k := range words[1:] {
			if err := s.unpack(k); err != nil {
				return err
			}
			s.db.Del(k)
		}
	case "HSET":
		s.db.HSet(key, rest...)
	case "HDEL":
		for _, f := range rest {
			s.db.HDel(key, f)
		}
		if left, err := s.db.HKeys(key); err == nil && len(left) == 0 {
			s.db.Del(key)
		}
	case "ZREM":
		if err := s.unpack(key); err != nil {
			return err
		}
		for _, m := range rest {
			_, _ = s.db.ZRem(key, m) // the key may be gone: so is the member
		}
	case "ZINCRBY":
		by, err := strconv.ParseFloat(rest[0], 64)
		if err != nil {
			return err
		}
		return s.zadd(put{key: key, ms: []member{{rest[1], s.set(key)[rest[1]] + by}}})
	case "ZADD":
		return s.zaddWords(key, rest)
	default:
		return fmt.Errorf("no such command on the embedded server")
	}
	return nil
}

// zaddWords is ZADD as a command, with or without a flag.
func (s *Store) zaddWords(key string, rest []string) error {
	p := put{key: key}
	if len(rest)%2 == 1 {
		p.flag, rest = rest[0], rest[1:]
	}
	for i := 0; i+1 < len(rest); i += 2 {
		score, err := strconv.ParseFloat(rest[i], 64)
		if err != nil {
			return err
		}
		p.ms = append(p.ms, member{rest[i+1], score})
	}
	return s.zadd(p)
}

// text prints an argument as go-redis does. Texts are copied: what they are parts of must not stay for their sake.
func text(a any) string {
	switch v := a.(type) {
	case string:
		return strings.Clone(v)
	case touched:
		return strings.Clone(string(v))
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(a)
}
