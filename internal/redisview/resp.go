package redisview

import (
	"bufio"
	"io"
	"strconv"
)

// Limits of a command.
const (
	maxArguments = 1024
	maxArgument  = 1 << 20 // bytes
	maxCommand   = 4 << 20 // bytes of all arguments together
	maxLine      = 32      // bytes of a line that states a length
)

// protocolError is an error in what a client sent. The connection cannot be used any further.
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// readCommand reads a command as clients send it: an array of bulk strings. An empty array is not a
// command. Any other form, and a command beyond the limits, is a protocolError; the limits are
// checked before the data is read.
func readCommand(r *bufio.Reader) (args []string, err error) {
	n, err := readLength(r, '*', maxArguments)
	left := maxCommand
	for i := 0; i < n && err == nil; i++ {
		var length int
		if length, err = readLength(r, '$', min(left, maxArgument)); err != nil {
			return nil, err
		}
		if length < 0 {
			return nil, protocolError("an argument has no length")
		}
		arg := make([]byte, length+2)
		if _, err = io.ReadFull(r, arg); err == nil && string(arg[length:]) != "\r\n" {
			err = protocolError("an argument is longer than its stated length")
		}
		left -= length
		args = append(args, string(arg[:length]))
	}
	return args, err
}

// readLength reads a line with a mark and a number.
func readLength(r *bufio.Reader, mark byte, most int) (int, error) {
	var line []byte
	for len(line) == 0 || line[len(line)-1] != '\n' {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case len(line) == 0 && b != mark:
			return 0, protocolError("expected '" + string(mark) + "': send commands as arrays of bulk strings")
		case len(line) == maxLine:
			return 0, protocolError("a length is too long")
		}
		line = append(line, b)
	}
	n, err := strconv.Atoi(string(line[1:max(1, len(line)-2)]))
	if err != nil || n > most || line[len(line)-2] != '\r' {
		return 0, protocolError("a length is not a number, or larger than " + strconv.Itoa(most))
	}
	return n, nil
}
