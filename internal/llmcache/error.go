package llmcache

import (
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/cold"
)

// The codes of Error, which tell a caller what kind of error it is.
const (
	CodeBad      = "bad_request"
	CodeQuota    = "quota"               // the session's items would exceed its quota
	CodeTooLarge = "too_large"           // the item, its label or its notes are too large
	CodeExists   = "exists"              // an item with that key exists, and overwriting was not requested
	CodeMissing  = "not_found"           // there is no such item, or no such part of it
	CodeFull     = "storage_unavailable" // the disk is full or read-only, the file is damaged, or its key is lost
)

// Error is the error of a request: a code, what is wrong, and what to do next.
type Error struct{ Code, Message, Hint string }

func (e *Error) Error() string { return e.Message }

func refuse(code, hint, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func bad(hint, format string, args ...any) error { return refuse(CodeBad, hint, format, args...) }

// storage turns an error of the database file into an Error. It returns other errors unchanged.
func storage(err error) error {
	switch {
	case errors.Is(err, cold.ErrRow):
		return refuse(CodeFull, "delete the item and store it again", "the item cannot be read any more: %v", err)
	case errors.Is(err, cold.ErrFull), errors.Is(err, cold.ErrReadOnly), errors.Is(err, cold.ErrLostKey):
		return refuse(CodeFull, "aoa doctor says what is wrong; nothing was half-written", "%v", err)
	case errors.Is(err, cold.ErrDamaged):
		return refuse(CodeFull,
			"store the results again: the damaged file was moved aside and a new one begun", "%v", err)
	}
	return err
}
